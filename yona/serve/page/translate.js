// The first view: type on the left, the translation streams in on the right; a word that is pointed
// at, focused or under the caret lights up what it looked at on the other side.
import { $, debounced, make } from "./dom.js";
import { examplesFor } from "./examples.js";
import { language, languageName, onLanguage, t } from "./i18n.js";
import { short } from "./numbers.js";
import { choose, forgetFailures, translateAll, wordMatrix } from "./session.js";
import { entryOf, lookAt, on, store, tell } from "./store.js";
import { isEven, sentencesOf, wordsOf, wordsOfPieces } from "./text.js";

const UNSURE = 0.4; // a word less probable than this is underlined
let notice = () => {};
let lit = null; // { side, sentence, word }: what is looked at
let stale = []; // the translations before the last change, shown until new ones come

// ---- the text ------------------------------------------------------------------------------------
const refresh = () => {
  if (!store.model) return;
  const text = $("source").value;
  stale = store.sentences.map(({ entry }) => entry.text);
  store.sentences = sentencesOf(text, store.model.source).map(sentence => ({ ...sentence, entry: entryOf(sentence.text) }));
  forgetFailures();
  lit = null;
  lookAtCaret();
  store.current = Math.min(store.current, Math.max(0, store.sentences.length - 1));
  try {
    sessionStorage.setItem("yona.text", text);
  } catch { /* full, or forbidden: the text is lost on a reload */ }
  mirror();
  drawAll();
  tell("sentences");
  tell("current");
  translateAll(notice);
};

// The same text behind the text area, word by word, so that words can be lit.
const mirror = () => {
  const text = $("source").value, box = $("backdrop"), nodes = [];
  let place = 0;
  store.sentences.forEach((sentence, index) => {
    wordsOf(sentence.text, store.model.source).forEach((word, at) => {
      const start = sentence.start + word.start;
      nodes.push(text.slice(place, start), make("span", { class: "word", "data-sentence": index, "data-word": at }, word.text));
      place = sentence.start + word.end;
    });
  });
  nodes.push(text.slice(place), "\n");
  box.replaceChildren(...nodes);
  box.scrollTop = $("source").scrollTop;
  $("count").textContent = text ? t("translate.count", { count: [...text].length.toLocaleString(language()) }) : "";
  $("clear").hidden = !text;
  $("examples").hidden = Boolean(text);
};

// ---- the translation -----------------------------------------------------------------------------
const drawAll = () => {
  const text = $("source").value, nodes = [];
  let place = 0;
  store.sentences.forEach((sentence, index) => {
    const between = text.slice(place, sentence.start), breaks = between.split("\n").length - 1;
    if (index > 0 || breaks) nodes.push(breaks ? "\n".repeat(breaks) : / /.test(between) ? " " : "");
    place = sentence.end;
    nodes.push(make("span", { class: "sentence", "data-sentence": index }));
  });
  $("output").replaceChildren(...nodes);
  store.sentences.forEach((_, index) => drawSentence(index));
  drawExtras();
};

const certainty = (entry, words) => {
  const least = words.map(() => 1);
  if (!entry.scores || !entry.tokens) return least;
  wordsOfPieces(entry.tokens, entry.text, words).forEach((word, piece) => {
    if (word >= 0) least[word] = Math.min(least[word], Math.exp(entry.scores[piece] ?? 0));
  });
  return least;
};

const drawSentence = index => {
  const { entry } = store.sentences[index], box = $("output").querySelector(`.sentence[data-sentence="${index}"]`);
  if (!box) return;
  lit = null; // its words are new
  const done = entry.state === "done", text = entry.text || (entry.state === "failed" ? "…" : stale[index] ?? "");
  box.classList.toggle("stale", !entry.text && Boolean(text));
  box.classList.toggle("busy", entry.state === "busy");
  const words = wordsOf(text, store.model.target), sure = done ? certainty(entry, words) : [], nodes = [];
  let place = 0;
  words.forEach((word, at) => {
    const span = make("span", { class: "word", tabindex: -1, "data-sentence": index, "data-word": at }, word.text);
    if (sure[at] < UNSURE) {
      span.classList.add("unsure");
      span.title = t("translate.unsure", { percent: Math.round(100 * sure[at]) });
    }
    nodes.push(text.slice(place, word.start), span);
    place = word.end;
  });
  box.replaceChildren(...nodes, text.slice(place));
  const first = $("output").querySelector(".word");
  if (first) first.tabIndex = 0; // one stop for the Tab key; arrows go on from there
};

const drawExtras = () => {
  const all = store.sentences.map(({ entry }) => entry), done = all.length > 0 && all.every(entry => entry.state === "done");
  $("copy").hidden = !done;
  const total = all.reduce((sum, entry) => sum + (entry.milliseconds ?? 0), 0);
  $("timing").textContent = done ? t("translate.time", { milliseconds: Math.round(total).toLocaleString(language()) }) : all.some(entry => entry.state === "new" || entry.state === "busy") ? t("translate.working") : "";
  if (done) speak();
  drawNBest();
  if (!lit) sayHint();
};
const speak = debounced(1200, () => { $("spoken").textContent = $("output").textContent; });

const drawNBest = () => {
  const entry = store.sentences[store.current]?.entry, there = entry?.state === "done" && entry.nBest.length > 1;
  $("n-best").hidden = !there;
  if (!there) return;
  const best = entry.nBest[0].score;
  $("n-best-list").replaceChildren(...entry.nBest.map((hypothesis, index) => {
    const bar = make("span", { class: "bar" });
    bar.style.setProperty("--share", Math.exp(Math.min(0, hypothesis.score - best)).toFixed(3));
    return make("li", {}, make("button", { type: "button", "aria-pressed": index === entry.chosen ? "true" : "false", onclick: () => take(entry, index) },
      make("span", { lang: store.model.target, dir: "auto" }, hypothesis.text), make("span", { class: "score" }, bar, short(hypothesis.score))));
  }));
};
const take = (entry, index) => {
  choose(entry, index);
  tell("entry", entry);
  tell("current");
  $("n-best-list").querySelectorAll("button")[index]?.focus();
};

// ---- light ---------------------------------------------------------------------------------------
const span = (side, sentence, word) =>
  $(side === "source" ? "backdrop" : "output").querySelector(`.word[data-sentence="${sentence}"][data-word="${word}"]`);
const darken = () => {
  for (const element of document.querySelectorAll("#backdrop .lit, #output .lit, #backdrop .from, #output .from")) element.classList.remove("lit", "from");
};
const sayHint = () => {
  const done = store.sentences.some(({ entry }) => entry.state === "done");
  $("looking").textContent = done ? t("translate.hint") : "";
};

const light = async next => {
  if (lit && next && lit.side === next.side && lit.sentence === next.sentence && lit.word === next.word) return;
  lit = next;
  darken();
  if (!next) return sayHint();
  lookAt(next.sentence);
  const { entry } = store.sentences[next.sentence] ?? {};
  if (entry?.state !== "done") return;
  let matrix;
  try {
    matrix = await wordMatrix(entry);
  } catch (error) {
    return notice(error, 0);
  }
  if (lit === next && matrix) show(next, matrix);
};

const show = ({ side, sentence, word }, { source, target, weights }) => {
  const own = side === "source" ? source : target, others = side === "source" ? target : source;
  const weight = other => (side === "source" ? weights[other][word] : weights[word][other]);
  if (!own[word]) return;
  span(side, sentence, word)?.classList.add("from");
  const seen = others.map((text, other) => ({ text: text.text, other, weight: weight(other) }));
  for (const { other, weight } of seen) {
    const element = span(side === "source" ? "target" : "source", sentence, other);
    if (!element || weight < 0.04) continue;
    element.style.setProperty("--weight", Math.min(1, weight).toFixed(3));
    element.classList.add("lit");
  }
  $("looking").replaceChildren(lookedAt(side, own[word].text, seen, { weights, word }), " ", make("a", { href: "#attention" }, t("translate.closer")));
};
// In words. Attention that is spread evenly singles nothing out, so no shares are told: those of a
// source word come from the words of the translation that do single something out.
const lookedAt = (side, text, seen, { weights, word }) => {
  const name = `“${text}”`, even = side === "target" && isEven([...weights[word]]);
  if (even) return t("translate.even", { word: name, count: seen.length });
  const telling = seen.filter(item => item.weight >= 0.04 && (side === "target" || !isEven([...weights[item.other]])));
  if (side === "source" && !telling.length && seen.some(item => item.weight >= 0.04)) return t("translate.even_seen", { word: name });
  const best = telling.sort((a, b) => b.weight - a.weight).slice(0, 3);
  const list = best.map(item => `“${item.text}” ${Math.round(100 * item.weight)} %`).join(", ") || t("translate.nothing");
  return t(side === "source" ? "translate.seen_by" : "translate.looked_at", { word: name, others: list });
};

const placeOf = element => ({ sentence: Number(element.dataset.sentence), word: Number(element.dataset.word) });
const sourceWordAt = (x, y) => {
  const element = document.elementsFromPoint(x, y).find(candidate => candidate.matches("#backdrop .word"));
  return element ? { side: "source", ...placeOf(element) } : null;
};
const lookAtCaret = () => {
  const caret = $("source").selectionStart, index = store.sentences.findIndex(sentence => caret <= sentence.end);
  if (index >= 0) lookAt(index);
  return index;
};
const lightCaret = () => {
  if (document.activeElement !== $("source")) return;
  const index = lookAtCaret(), sentence = store.sentences[index];
  if (!sentence || sentence.entry.state !== "done") return;
  const caret = $("source").selectionStart - sentence.start;
  const word = wordsOf(sentence.text, store.model.source).findIndex(({ start, end }) => caret >= start && caret <= end);
  light(word < 0 ? null : { side: "source", sentence: index, word });
};
// Back to the word that has the focus, if one has it, when the pointer goes.
const leave = () => {
  const focused = document.activeElement;
  light(focused?.matches("#output .word") ? { side: "target", ...placeOf(focused) } : null);
};
const walk = event => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const words = [...$("output").querySelectorAll(".word")], at = words.indexOf(document.activeElement);
  const next = words[Math.max(0, Math.min(words.length - 1, at + step))];
  event.preventDefault();
  words[at]?.setAttribute("tabindex", -1);
  next?.setAttribute("tabindex", 0);
  next?.focus();
};

// ---- setting up ------------------------------------------------------------------------------------
const drawNames = () => {
  if (!store.model) return;
  const { source, target } = store.model;
  $("source-name").textContent = languageName(source) || t("translate.source");
  $("target-name").textContent = languageName(target) || t("translate.target");
  $("source").lang = source;
  $("output").lang = target;
  $("examples").replaceChildren(...examplesFor(store.model).map(text => make("button", { type: "button", lang: source, onclick: () => setText(text) }, text)));
};
export const setText = text => {
  $("source").value = text;
  $("source").focus();
  refresh();
};

const copy = async () => {
  await navigator.clipboard.writeText($("output").textContent);
  $("copy").textContent = t("translate.copied");
  setTimeout(() => { $("copy").textContent = t("translate.copy"); }, 1500);
};

export const startTranslate = showNotice => {
  notice = showNotice;
  const source = $("source"), output = $("output"), soon = debounced(200, refresh);
  try {
    source.value = sessionStorage.getItem("yona.text") ?? "";
  } catch { /* forbidden: the page begins empty */ }
  source.addEventListener("input", () => { mirror(); darken(); soon(); });
  source.addEventListener("scroll", () => { $("backdrop").scrollTop = source.scrollTop; });
  source.addEventListener("mousemove", event => { if (event.buttons === 0) light(sourceWordAt(event.clientX, event.clientY)); });
  source.addEventListener("mouseleave", leave);
  document.addEventListener("selectionchange", debounced(80, lightCaret));
  output.addEventListener("mouseover", event => event.target.matches(".word") && light({ side: "target", ...placeOf(event.target) }));
  output.addEventListener("mouseleave", leave);
  output.addEventListener("click", event => event.target.matches(".word") && event.target.focus());
  output.addEventListener("focusin", event => event.target.matches(".word") && light({ side: "target", ...placeOf(event.target) }));
  output.addEventListener("keydown", walk);
  $("clear").addEventListener("click", () => setText(""));
  $("copy").addEventListener("click", () => copy().catch(() => {}));
  on("entry", entry => {
    store.sentences.forEach((sentence, index) => sentence.entry === entry && drawSentence(index));
    drawExtras();
  });
  on("current", drawNBest);
  on("model", () => { drawNames(); refresh(); });
  onLanguage(() => { drawNames(); mirror(); drawAll(); });
};
export const again = () => refresh();
