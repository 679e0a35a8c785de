// The Transformer explained: one sentence, step by step, with the numbers of the model that is
// served (/v1/explain) beside the paper's equations.
import { patiently, postJson } from "./api.js";
import { $, make } from "./dom.js";
import { equations } from "./equations.js";
import { figure } from "./figure.js";
import { language, onLanguage, t } from "./i18n.js";
import { pictures } from "./pictures.js";
import { currentSentence, on, store } from "./store.js";
import { label } from "./text.js";

const steps = ["tokens", "embedding", "position", "project", "scores", "mask", "softmax", "values", "heads", "norm", "feed_forward", "stack", "next"];
const PREFIX = 3; // pieces of the translation that the decoder has written at the beginning
const FIRST = 1; // the token that looks at the beginning: the second, since the first has position 0
const KEPT = 60;

const state = { step: 0, stack: "encoder", layer: 0, head: 0, query: 0, prefix: [], sentence: null };
const known = new Map();
let numbers = null; // the answer that is shown
let notice = () => {};
let parts = {};

// ---- numbers ---------------------------------------------------------------------------------------
const asked = () => {
  const { stack, layer, head, query, prefix, sentence } = state;
  return { q: sentence, model: store.model.id, target_prefix: prefix, stack, layer, head, query };
};
const load = async () => {
  const body = asked(), key = JSON.stringify(body);
  try {
    if (!known.has(key)) {
      known.set(key, await patiently(() => postJson("/v1/explain", body), null, seconds => notice(null, seconds)));
      if (known.size > KEPT) known.delete(known.keys().next().value);
    }
  } catch (error) {
    if (!numbers) state.key = ""; // nothing is shown: ask again next time
    return notice(error, 0);
  }
  if (JSON.stringify(asked()) !== key) return; // something else was asked for meanwhile
  numbers = known.get(key);
  draw();
  $("explained").hidden = false;
};

const change = changes => {
  Object.assign(state, changes);
  const tokens = state.stack === "encoder" ? numbers?.source_tokens.length ?? 1 : state.prefix.length + 1;
  state.query = Math.max(0, Math.min(state.query, tokens - 1));
  const layers = numbers ? (state.stack === "encoder" ? numbers.model.encoder_layers : numbers.model.decoder_layers) : 1;
  state.layer = Math.min(state.layer, layers - 1);
  load();
};
const go = step => {
  state.step = Math.max(0, Math.min(steps.length - 1, step));
  if (steps[state.step] === "mask" && state.stack !== "decoder") return change({ stack: "decoder", query: Math.min(1, state.prefix.length) });
  draw();
};

// A sentence that was not looked at before begins with its first pieces written.
const begin = () => {
  if (store.view !== "explained") return;
  const sentence = currentSentence();
  const done = sentence?.entry.state === "done", key = done ? `${store.model.id} ${sentence.text}` : "";
  $("explained").hidden = !done || state.key !== key || !numbers; // another sentence's numbers
  if (!done || state.key === key) return;
  const pieces = (sentence.entry.tokens ?? []).slice(0, -1);
  Object.assign(state, { key, sentence: sentence.text, prefix: pieces.slice(0, PREFIX), query: FIRST, stack: "encoder", layer: 0, head: 0 });
  numbers = null;
  load();
};

// ---- drawing ---------------------------------------------------------------------------------------
const option = (value, text) => make("option", { value }, text);
const chooser = (name, values, current, act) => {
  const select = make("select", { onchange: event => act(event.target.value) }, ...values.map(([value, text]) => option(value, text)));
  select.value = current;
  return make("label", {}, make("span", {}, name), select);
};
const count = (n, key, name) => Array.from({ length: n }, (_, index) => [index, t(key, { [name]: index + 1 })]);

const drawControls = () => {
  const { model } = numbers, layers = state.stack === "encoder" ? model.encoder_layers : model.decoder_layers;
  const tokens = state.stack === "encoder" ? numbers.source_tokens : numbers.decoder_tokens;
  parts.controls.replaceChildren(
    chooser(t("explained.stack"), ["encoder", "decoder", "cross"].map(stack => [stack, t("attention." + stack)]), state.stack, actions.useStack),
    chooser(t("attention.layer"), count(layers, "explained.number", "number"), state.layer, layer => change({ layer: Number(layer) })),
    chooser(t("explained.head"), count(model.heads, "explained.number", "number"), state.head, head => change({ head: Number(head) })),
    make("div", { class: "chips", role: "group", "aria-label": t("explained.token") }, ...tokens.map((token, query) =>
      make("button", { type: "button", dir: "auto", "aria-pressed": query === state.query ? "true" : "false", onclick: () => change({ query }) }, label(token)))));
};

const draw = () => {
  if (!numbers || !parts.title) return;
  const name = steps[state.step], { model } = numbers;
  const sizes = Object.fromEntries(Object.entries(model).map(([key, value]) => [key, typeof value === "number" ? value.toLocaleString(language()) : value]));
  const values = { ...sizes, token: label((state.stack === "encoder" ? numbers.source_tokens : numbers.decoder_tokens)[state.query]), layer: state.layer + 1, head: state.head + 1, zeros: numbers.zeros };
  parts.number.textContent = t("explained.of", { step: state.step + 1, steps: steps.length });
  parts.title.textContent = t(`explained.${name}.title`);
  parts.text.textContent = t(name === "norm" && model.norm === "pre" ? "explained.norm.before" : `explained.${name}.text`, values);
  parts.equations.replaceChildren(...equations[name](model));
  parts.figure.replaceChildren(figure(model, name, state.stack, (step, stack) => { state.step = steps.indexOf(step); if (stack === state.stack) draw(); else actions.useStack(stack); }));
  parts.picture.replaceChildren(...pictures[name](numbers, actions));
  parts.back.disabled = state.step === 0;
  parts.next.disabled = state.step === steps.length - 1;
  parts.dots.forEach((dot, index) => dot.toggleAttribute("aria-current", index === state.step));
  const focused = parts.controls.contains(document.activeElement) ? [...parts.controls.querySelectorAll("select, button")].indexOf(document.activeElement) : -1;
  drawControls();
  parts.controls.hidden = name === "tokens" || name === "next"; // these two are of no layer or head
  if (focused >= 0) parts.controls.querySelectorAll("select, button")[focused]?.focus();
};

// What the pictures let people do.
const actions = {
  useStack: stack => change({ stack, query: stack === "encoder" ? FIRST : state.prefix.length }),
  useLayer: layer => change({ layer }),
  useHead: head => change({ head }),
  write: piece => change({ prefix: [...state.prefix, piece], query: state.stack === "encoder" ? state.query : state.prefix.length + 1 }),
  unwrite: () => change({ prefix: state.prefix.slice(0, -1) }),
};

const build = () => {
  parts = {
    figure: make("div", { class: "figure-box" }),
    controls: make("div", { class: "explained-controls" }),
    number: make("p", { class: "soft step-number" }),
    title: make("h2", {}),
    text: make("p", { class: "step-text" }),
    equations: make("div", { class: "equations" }),
    picture: make("div", { class: "picture" }),
    back: make("button", { type: "button", onclick: () => go(state.step - 1) }, "←"),
    next: make("button", { type: "button", class: "main", onclick: () => go(state.step + 1) }),
  };
  parts.back.setAttribute("aria-label", t("explained.back"));
  parts.next.append(t("explained.next_step"), " →");
  parts.dots = steps.map((name, index) => make("button", { type: "button", class: "dot", "aria-label": t(`explained.${name}.title`), title: t(`explained.${name}.title`), onclick: () => go(index) }));
  $("explained").replaceChildren(
    make("div", { class: "walk" }, parts.figure,
      make("article", {}, parts.number, make("div", { "aria-live": "polite" }, parts.title, parts.text), parts.equations, parts.controls, parts.picture)),
    make("div", { class: "steps", role: "group", "aria-label": t("explained.steps") }, parts.back, make("div", { class: "dots" }, ...parts.dots), parts.next));
  draw();
};

export const startExplained = showNotice => {
  notice = showNotice;
  build();
  onLanguage(build);
  for (const name of ["view", "current", "sentences", "entry", "model"]) on(name, begin);
  document.addEventListener("keydown", event => {
    if (store.view !== "explained" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input, textarea, .strips, .strips *")) return;
    if (event.key === "ArrowRight") go(state.step + 1);
    if (event.key === "ArrowLeft") go(state.step - 1);
  });
};
