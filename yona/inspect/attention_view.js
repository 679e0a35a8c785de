// The attention of every layer and head, to look at: lines between two columns of tokens (figures 3
// to 5 of the paper), one matrix with its tokens, and all heads as small heat maps. One script for
// the page of `yona attention` and for that of `yona serve`.
//
//   const view = attentionView(element, t);      // t(key, values) gives the words
//   view.show({ heads, colours, parts });        // parts: [{ name, queries, keys, layers, weights }]
//
// queries and keys are labels; weights(layer) gives [heads][queries][keys] in steps of 1/255.
"use strict";

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...children);
  return element;
};

const LEAST = 5; // in 1/255: fainter lines cannot be seen
const other = side => (side === "key" ? "query" : "key");

// Black or white, whichever reads better on a colour (#rrggbb): one of the two always has a contrast
// of 4.5 and more, by WCAG's definition.
export const inkOn = colour => {
  const [r, g, b] = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255).map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
};

// A heat map of one cell for each pixel; `weight` gives 0 to 255.
export const paintHeat = (canvas, rows, columns, weight) => {
  const heat = getComputedStyle(canvas.ownerDocument.documentElement).getPropertyValue("--heat").trim();
  const [r, g, b] = heat.split(" ").map(Number);
  canvas.width = columns;
  canvas.height = rows;
  const pen = canvas.getContext("2d"), image = pen.createImageData(columns, rows);
  for (let i = 0; i < rows * columns; ++i) image.data.set([r, g, b, weight(i)], 4 * i);
  pen.putImageData(image, 0, 0);
};

// Lines from keys on the left to queries on the right, a colour for each head. Gives their number.
const paintLines = (canvas, { part, weights, heads, colours, token, row }) => {
  const { length: queries } = part.queries, { length: keys } = part.keys;
  const height = row * (Math.max(keys, queries) + 1), width = canvas.clientWidth;
  canvas.style.height = height + "px";
  const ratio = Math.min(window.devicePixelRatio || 1, 32000 / height);
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  pen.lineWidth = 1.6;
  let count = 0, rank = 0;
  const gap = Math.min(1.8, row / 2 / heads.length); // so that equal lines of heads lie side by side
  for (const head of heads) {
    const shift = (rank++ - (heads.length - 1) / 2) * gap;
    pen.strokeStyle = colours[head];
    for (let query = 0; query < queries; ++query) {
      if (token && token.side === "query" && token.index !== query) continue;
      for (let key = 0; key < keys; ++key) {
        if (token && token.side === "key" && token.index !== key) continue;
        const weight = weights[(head * queries + query) * keys + key];
        if (weight < LEAST) continue;
        pen.globalAlpha = weight / 255;
        pen.beginPath();
        pen.moveTo(2, (key + 1.5) * row + shift);
        pen.lineTo(width - 2, (query + 1.5) * row + shift);
        pen.stroke();
        ++count;
      }
    }
  }
  return count;
};

class AttentionView {
  constructor(root, t) {
    this.root = root;
    this.t = t;
    this.state = { part: "", layer: 0, heads: new Set(), token: null, shape: "lines" }; // token: {side, index}
    this.pinned = false;
    this.data = null;
    this.onchange = () => {};
    window.addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
  }

  // ---- data ------------------------------------------------------------------------------------
  show(data) {
    const before = this.data;
    this.data = data;
    const { state } = this;
    if (!before || before.heads !== data.heads || !this.partOf(state.part)) {
      state.heads = new Set(data.colours.keys());
      state.part = this.partOf(state.part) ? state.part : data.parts[data.parts.length - 1].name;
      state.layer = this.partOf(state.part).layers - 1;
    }
    state.layer = Math.min(state.layer, this.partOf(state.part).layers - 1);
    if (state.token && state.token.index >= this.tokensOf(state.token.side).length) state.token = null;
    this.pinned = state.token !== null;
    this.build();
  }
  partOf(name) { return this.data.parts.find(part => part.name === name); }
  get part() { return this.partOf(this.state.part); }
  get weights() { return this.part.weights(this.state.layer); }
  get heads() { return [...this.state.heads].sort((a, b) => a - b); }
  tokensOf(side) { return this.part[side === "key" ? "keys" : "queries"]; }
  // The mean over the chosen heads, 0 to 1.
  mean(weights, query, key) {
    const { queries, keys } = this.part;
    let sum = 0;
    for (const head of this.state.heads) sum += weights[(head * queries.length + query) * keys.length + key];
    return this.state.heads.size ? sum / 255 / this.state.heads.size : 0;
  }

  // ---- building --------------------------------------------------------------------------------
  find(name) { return this.root.querySelector(`[data-name="${name}"]`); }
  build() {
    const { t } = this;
    const group = (name, text) => make("fieldset", { "data-name": name }, make("legend", {}, text));
    this.root.replaceChildren(
      make("div", { class: "attention-controls" }, group("parts", t("attention.part")), group("layers", t("attention.layer")),
        group("heads", t("attention.heads")), group("shapes", t("attention.view"))),
      make("p", { class: "said", "data-name": "said", role: "status", "aria-live": "polite" }),
      make("div", { class: "attention-body" }, make("div", { class: "lines", "data-name": "shape" }),
        make("div", {}, make("h3", {}, t("attention.all_heads")), make("div", { class: "heads-grid", "data-name": "grid" }))));
    for (const part of this.data.parts) this.addButton("parts", { value: part.name }, t("attention." + part.name), () => this.usePart(part.name));
    for (let layer = 0; layer < this.part.layers; ++layer) this.addButton("layers", { value: layer }, layer + 1, () => this.choose({ layer }));
    this.addButton("heads", { value: "all" }, t("attention.all"), () => this.choose({ heads: new Set(this.data.colours.keys()) }));
    this.addButton("heads", { value: "none" }, t("attention.none"), () => this.choose({ heads: new Set() }));
    this.data.colours.forEach((colour, head) => {
      const button = this.addButton("heads", { value: head, class: "head", "aria-label": t("attention.head", { head: head + 1 }) }, head + 1, () => this.toggleHead(head));
      button.style.setProperty("--colour", colour);
      button.style.setProperty("--on-colour", inkOn(colour));
    });
    for (const shape of ["lines", "matrix"]) this.addButton("shapes", { value: shape }, t("attention." + shape), () => this.useShape(shape));
    const box = this.find("shape");
    box.addEventListener("mouseleave", () => this.pinned || this.look(null));
    this.buildShape();
    this.buildGrid();
    this.update();
  }
  addButton(group, attributes, text, act) {
    const button = make("button", { type: "button", ...attributes }, String(text));
    button.addEventListener("click", act);
    this.find(group).append(button);
    return button;
  }
  tokenButton(side, index) {
    const text = this.tokensOf(side)[index], token = { side, index };
    const button = make("button", { class: "token", type: "button", dir: "auto", title: text, "data-side": side }, text);
    button.addEventListener("mouseenter", () => this.pinned || this.look(token));
    button.addEventListener("focus", () => this.look(token));
    button.addEventListener("click", () => { this.pinned = true; this.look(token); });
    return button;
  }
  buildShape() {
    const box = this.find("shape"), { t } = this;
    box.className = this.state.shape;
    box.replaceChildren();
    const column = side => {
      const list = make("ol", { class: side === "key" ? "keys" : "queries", "data-name": side === "key" ? "keys" : "queries" },
        make("li", { class: "side" }, t(side === "key" ? "attention.looked_at" : "attention.looks")));
      this.tokensOf(side).forEach((_, index) => list.append(make("li", {}, this.tokenButton(side, index))));
      return list;
    };
    const canvas = make("canvas", { "aria-hidden": "true", "data-name": "canvas" });
    if (this.state.shape === "lines") {
      box.append(column("key"), canvas, column("query"));
      return;
    }
    const { queries, keys } = this.part, place = make("div", { class: "matrix-place" }), cells = make("div", { class: "matrix-cells" }, canvas);
    const top = make("ol", { class: "columns", "data-name": "keys" }), left = make("ol", { class: "rows", "data-name": "queries" });
    keys.forEach((_, index) => top.append(make("li", {}, this.tokenButton("key", index))));
    queries.forEach((_, index) => left.append(make("li", {}, this.tokenButton("query", index))));
    cells.addEventListener("mousemove", event => {
      const box = canvas.getBoundingClientRect();
      const query = Math.floor((event.clientY - box.top) / box.height * queries.length);
      const key = Math.floor((event.clientX - box.left) / box.width * keys.length);
      if (queries[query] !== undefined && keys[key] !== undefined) this.sayCell(query, key);
    });
    place.append(make("span", {}), top, left, cells);
    box.append(place);
  }
  buildGrid() {
    const grid = this.find("grid");
    grid.style.setProperty("--columns", Math.min(this.data.heads, 8));
    for (let layer = 0; layer < this.part.layers; ++layer) {
      for (let head = 0; head < this.data.heads; ++head) {
        const button = make("button", { type: "button", "aria-label": this.t("attention.place", { layer: layer + 1, head: head + 1 }), "data-layer": layer, "data-head": head },
          `${layer + 1} · ${head + 1}`, make("canvas", {}));
        button.addEventListener("click", () => this.choose({ layer, heads: new Set([head]) }));
        grid.append(button);
      }
    }
    this.paintGrid();
  }
  paintGrid() {
    const rows = this.part.queries.length, columns = this.part.keys.length;
    for (const button of this.find("grid").children) {
      const weights = this.part.weights(Number(button.dataset.layer)), from = Number(button.dataset.head) * rows * columns;
      paintHeat(button.querySelector("canvas"), rows, columns, i => weights[from + i]);
    }
  }
  // After a change of colours.
  repaint() {
    if (!this.data) return;
    this.paintGrid();
    this.draw();
  }

  // ---- choosing --------------------------------------------------------------------------------
  choose(changes) { Object.assign(this.state, changes); this.update(); }
  toggleHead(head) { if (!this.state.heads.delete(head)) this.state.heads.add(head); this.update(); }
  usePart(name) {
    this.state.part = name;
    this.state.layer = Math.min(this.state.layer, this.part.layers - 1);
    this.state.token = null;
    this.pinned = false;
    this.build();
    this.root.querySelector(`[data-name="parts"] [value="${name}"]`).focus();
  }
  useShape(shape) { this.state.shape = shape; this.buildShape(); this.update(); }
  look(token) { this.state.token = token; this.shade(); this.say(); this.draw(); this.onchange(); }
  update() {
    const { state } = this;
    const press = (name, test) => this.find(name).querySelectorAll("button").forEach(button => button.setAttribute("aria-pressed", test(button)));
    press("parts", button => button.value === state.part);
    press("layers", button => Number(button.value) === state.layer);
    press("shapes", button => button.value === state.shape);
    press("heads", button => button.value === "all" ? state.heads.size === this.data.heads : button.value === "none" ? !state.heads.size : state.heads.has(Number(button.value)));
    press("grid", button => Number(button.dataset.layer) === state.layer && state.heads.has(Number(button.dataset.head)));
    this.look(state.token);
  }

  // ---- drawing ---------------------------------------------------------------------------------
  draw() {
    const canvas = this.data && this.find("canvas");
    if (!canvas || !this.root.clientWidth) return;
    if (this.state.shape === "matrix") {
      const { weights } = this, { keys, queries } = this.part, box = this.find("shape");
      const labels = box.querySelector(".rows").clientWidth;
      box.style.setProperty("--cell", Math.max(24, Math.min(44, Math.floor((box.clientWidth - labels - 4) / keys.length))) + "px");
      paintHeat(canvas, queries.length, keys.length, i => 255 * this.mean(weights, Math.floor(i / keys.length), i % keys.length));
      return;
    }
    const row = this.find("keys").children[1].getBoundingClientRect().height;
    canvas.dataset.lines = paintLines(canvas, { part: this.part, weights: this.weights, heads: this.heads, colours: this.data.colours, token: this.state.token, row });
  }
  shade() {
    const { weights } = this, { token } = this.state;
    for (const side of ["key", "query"]) {
      this.root.querySelectorAll(`.token[data-side="${side}"]`).forEach((button, index) => {
        const own = token && token.side === side;
        const weight = !token || own ? 0 : side === "key" ? this.mean(weights, token.index, index) : this.mean(weights, index, token.index);
        button.style.setProperty("--weight", weight.toFixed(3));
        button.setAttribute("aria-current", Boolean(own && token.index === index));
      });
    }
  }
  say() {
    const said = this.find("said"), { token } = this.state, { t, weights } = this;
    if (!token) {
      said.replaceChildren(t(this.state.shape === "lines" ? "attention.hint" : "attention.hint_matrix"));
      return;
    }
    const { side, index } = token;
    const list = this.tokensOf(other(side)).map((text, at) => ({ text, weight: side === "key" ? this.mean(weights, at, index) : this.mean(weights, index, at) }));
    list.sort((a, b) => b.weight - a.weight);
    const seen = list.slice(0, 4).filter(item => item.weight > 0).map(item => `“${item.text}” ${item.weight.toFixed(2)}`).join(", ");
    const text = t(side === "key" ? "attention.is_looked_at_by" : "attention.looks_at", { token: "\u0000", others: seen || t("attention.nothing") });
    const [before, after] = text.split("\u0000");
    said.replaceChildren(before, make("b", {}, `“${this.tokensOf(side)[index]}”`), after);
    if (this.state.heads.size > 1) said.append(" ", t("attention.mean", { count: this.state.heads.size }));
  }
  sayCell(query, key) {
    const { queries, keys } = this.part;
    this.find("said").replaceChildren(this.t("attention.cell", { query: queries[query], key: keys[key], weight: this.mean(this.weights, query, key).toFixed(3) }));
  }

  // ---- keys: arrows go through tokens, 1 to 9 switch heads, [ and ] change the layer -------------
  press(event) {
    if (!this.data || event.ctrlKey || event.metaKey || event.altKey) return;
    const { layers } = this.part, { state } = this, focus = document.activeElement;
    if (event.key === "Escape") { this.pinned = false; this.look(null); }
    else if (event.key === "[" || event.key === "]") this.choose({ layer: (state.layer + (event.key === "]" ? 1 : layers - 1)) % layers });
    else if (event.key >= "1" && event.key <= "9" && Number(event.key) <= this.data.heads) this.toggleHead(Number(event.key) - 1);
    else if (focus && focus.classList.contains("token") && state.token && /^Arrow/.test(event.key)) this.walk(event);
  }
  walk(event) {
    const { token, shape } = this.state, matrix = shape === "matrix";
    // Tokens run down; in the matrix keys run to the right.
    const across = matrix && token.side === "key";
    const [back, on] = across ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const turn = matrix ? (across ? "ArrowDown" : "ArrowUp") : token.side === "key" ? "ArrowRight" : "ArrowLeft";
    let { side, index } = token;
    if (event.key === on) ++index;
    else if (event.key === back && !(matrix && !across && index === 0)) --index;
    else if (event.key === turn) side = other(side);
    const buttons = this.root.querySelectorAll(`.token[data-side="${side}"]`);
    event.preventDefault();
    buttons[Math.max(0, Math.min(index, buttons.length - 1))].focus();
  }
}

export const attentionView = (root, t) => new AttentionView(root, t);
