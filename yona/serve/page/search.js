// The beam as a tree: a column for each step, the hypotheses that were kept in ink, those that were
// dropped pale, the best one in the accent colour.
import { patiently, postJson } from "./api.js";
import { $, svg } from "./dom.js";
import { onLanguage, t } from "./i18n.js";
import { short } from "./numbers.js";
import { currentSentence, on, store } from "./store.js";
import { label, textOfPieces } from "./text.js";

const STEP = 126, BOX = 100, ROW = 34, TOP = 22, LEFT = 16;

// What fits into a box; wide characters count twice.
const cutTo = (text, room) => {
  const wide = letter => (letter.codePointAt(0) >= 0x2e80 ? 2 : 1);
  let used = 0, kept = "";
  for (const letter of text) {
    used += wide(letter);
    if (used > room) return [...kept].slice(0, -1).join("") + "…";
    kept += letter;
  }
  return kept;
};

// Nodes with their places: { id, parent, column, row, path … } by id; columns are sorted so that
// children stay near their parents.
const laidOut = tree => {
  const nodes = new Map();
  tree.steps.forEach((step, column) => {
    const rowOf = node => nodes.get(node.parent)?.row ?? 0;
    const sorted = [...step].sort((a, b) => rowOf(a) - rowOf(b) || b.score - a.score);
    const kept = sorted.filter(node => node.kept), dropped = sorted.filter(node => !node.kept);
    [...kept, ...dropped].forEach((node, row) => nodes.set(node.id, { ...node, column, row }));
  });
  for (let node = nodes.get(tree.best); node; node = nodes.get(node.parent)) node.best = true;
  return nodes;
};
const textOf = (nodes, node) => {
  const pieces = [];
  for (let at = node; at; at = nodes.get(at.parent)) pieces.unshift(at.token);
  return textOfPieces(pieces.filter(piece => piece !== "</s>"));
};

const draw = (tree, say) => {
  const nodes = laidOut(tree), rows = Math.max(...tree.steps.map(step => step.length), 1);
  const x = node => LEFT + node.column * STEP, y = node => TOP + node.row * ROW;
  const width = LEFT * 2 + tree.steps.length * STEP, height = TOP * 2 + (rows - 1) * ROW;
  const links = [], marks = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(node.parent), style = node.best ? "best" : node.kept ? "kept" : "dropped";
    if (parent) {
      const from = x(parent) + BOX, to = x(node) - 4, bend = (to - from) / 2;
      links.push([style, svg("path", { class: "link " + style, d: `M${from} ${y(parent)}C${from + bend} ${y(parent)} ${to - bend} ${y(node)} ${to} ${y(node)}` })]);
    }
    const cut = cutTo(label(node.token), 11);
    const mark = svg("g", { class: "node " + style, tabindex: node.kept ? 0 : -1, role: "img", transform: `translate(${x(node)} ${y(node)})`,
      "aria-label": t(node.kept ? "search.node" : "search.dropped", { text: textOf(nodes, node), score: short(node.score) }) },
      svg("rect", { x: -4, y: -13, width: BOX, height: 26, rx: 6 }), svg("text", { x: 3, y: 5 }, cut),
      svg("text", { x: BOX - 9, y: 4, class: "number" }, node.finished ? "■" : ""));
    const speak = () => say(mark.getAttribute("aria-label"));
    mark.addEventListener("mouseenter", speak);
    mark.addEventListener("focus", speak);
    mark.addEventListener("click", speak);
    marks.push(mark);
  }
  const strength = { dropped: 0, kept: 1, best: 2 }; // the best is drawn over the others
  links.sort((a, b) => strength[a[0]] - strength[b[0]]);
  return svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, ...links.map(link => link[1]), ...marks);
};

export const startSearch = notice => {
  const known = new Map();
  let tree = null, asked = null;
  const show = () => {
    if (!tree) {
      $("tree-said").textContent = "";
      return $("tree").replaceChildren();
    }
    $("tree-said").textContent = t("search.hint");
    $("tree").replaceChildren(draw(tree, text => { $("tree-said").textContent = text; }));
  };
  const load = async () => {
    if (store.view !== "search") return;
    const sentence = currentSentence(), beam = Number($("beam").value);
    $("beam-value").textContent = beam;
    $("tree").hidden = !sentence;
    if (!sentence) {
      asked = tree = null;
      return show();
    }
    const key = `${store.model.id} ${beam} ${sentence.text}`;
    if (asked === key) return;
    asked = key;
    tree = null; // another sentence's tree says nothing about this one
    if (!known.has(key)) show();
    try {
      if (!known.has(key)) known.set(key, await patiently(() => postJson("/v1/beam", { q: sentence.text, model: store.model.id, beam }), null, seconds => notice(null, seconds)));
      if (asked !== key) return;
      tree = known.get(key);
      show();
    } catch (error) {
      if (asked !== key) return;
      asked = null;
      notice(error, 0);
    }
  };
  for (const name of ["view", "current", "sentences", "model"]) on(name, load);
  onLanguage(show);
  $("beam").addEventListener("input", load);
};
