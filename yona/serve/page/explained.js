// The Transformer explained: one sentence, step by step, with the numbers of the model that is
// served (/v1/explain) beside the paper's equations.
import { $ } from "./dom.js";
import { figure } from "./figure.js";
import { t } from "./i18n.js";
import { pictures } from "./pictures.js";
import { currentSentence, on, store } from "./store.js";
import { label } from "./text.js";
import { chooser, createWalk, numbered, tokenChips } from "./walk.js";

const steps = ["tokens", "embedding", "position", "project", "scores", "mask", "softmax", "values", "heads", "norm", "feed_forward", "stack", "next"];
const PREFIX = 3; // pieces of the translation that the decoder has written at the beginning
const FIRST = 1; // the token that looks at the beginning: the second, since the first has position 0

const state = { stack: "encoder", layer: 0, head: 0, query: 0, prefix: [], sentence: null };
let walk = null;

const asked = () => {
  const { stack, layer, head, query, prefix, sentence } = state;
  return { q: sentence, model: store.model.id, target_prefix: prefix, stack, layer, head, query };
};
const layersOf = ({ model }) => (state.stack === "encoder" ? model.encoder_layers : model.decoder_layers);
const tokensOf = numbers => (state.stack === "encoder" ? numbers.source_tokens : numbers.decoder_tokens);

const change = changes => {
  Object.assign(state, changes);
  const { numbers } = walk;
  const tokens = state.stack === "encoder" ? numbers?.source_tokens.length ?? 1 : state.prefix.length + 1;
  state.query = Math.max(0, Math.min(state.query, tokens - 1));
  state.layer = Math.min(state.layer, (numbers ? layersOf(numbers) : 1) - 1);
  walk.load();
};

// A sentence that was not looked at before begins with its first pieces written.
const begin = () => {
  if (store.view !== "explained") return;
  const sentence = currentSentence();
  const done = sentence?.entry.state === "done", key = done ? `${store.model.id} ${sentence.text}` : "";
  $("explained").hidden = !done || state.key !== key || !walk.numbers; // another sentence's numbers
  if (!done || state.key === key) return;
  const pieces = (sentence.entry.tokens ?? []).slice(0, -1);
  Object.assign(state, { key, sentence: sentence.text, prefix: pieces.slice(0, PREFIX), query: FIRST, stack: "encoder", layer: 0, head: 0 });
  walk.forget();
  walk.load();
};

const useStack = stack => change({ stack, query: stack === "encoder" ? FIRST : state.prefix.length });
// What the pictures let people do.
const actions = {
  useStack,
  useLayer: layer => change({ layer }),
  useHead: head => change({ head }),
  write: piece => change({ prefix: [...state.prefix, piece], query: state.stack === "encoder" ? state.query : state.prefix.length + 1 }),
  unwrite: () => change({ prefix: state.prefix.slice(0, -1) }),
};

const explanation = {
  asked,
  taken: answer => answer,
  failed: () => { if (!walk.numbers) state.key = ""; }, // nothing is shown: ask again next time
  steps: () => steps,
  words: (name, model) => [`explained.${name}.title`, name === "norm" && model.norm === "pre" ? "explained.norm.before" : `explained.${name}.text`],
  values: numbers => ({ token: label(tokensOf(numbers)[state.query]), layer: state.layer + 1, head: state.head + 1, zeros: numbers.zeros }),
  figure: ({ model }, name) => figure(model, name, state.stack, (step, stack) => {
    walk.show(step);
    if (stack === state.stack) walk.draw();
    else useStack(stack);
  }),
  pictures: Object.fromEntries(steps.map(name => [name, numbers => pictures[name](numbers, actions)])),
  controls: numbers => [
    chooser(t("explained.stack"), ["encoder", "decoder", "cross"].map(stack => [stack, t("attention." + stack)]), state.stack, useStack),
    chooser(t("attention.layer"), numbered(layersOf(numbers)), state.layer, layer => change({ layer: Number(layer) })),
    chooser(t("explained.head"), numbered(numbers.model.heads), state.head, head => change({ head: Number(head) })),
    tokenChips(tokensOf(numbers).map(label), state.query, query => change({ query }))],
  controlled: name => name !== "tokens" && name !== "next", // these two are of no layer or head
  entering: name => {
    if (name !== "mask" || state.stack === "decoder") return false;
    change({ stack: "decoder", query: Math.min(1, state.prefix.length) });
    return true;
  },
  isOpen: () => store.view === "explained",
};

export const startExplained = notice => {
  walk = createWalk($("explained"), notice, explanation);
  for (const name of ["view", "current", "sentences", "entry", "model"]) on(name, begin);
};
