// A language model explained: the prompt of the playground, step by step, with the numbers of the
// model that is served (/v1/explain), for the shapes of GPT-2 and Llama.
import { $ } from "./dom.js";
import { t } from "./i18n.js";
import { promptFigure } from "./prompt_figure.js";
import { promptPictures } from "./prompt_pictures.js";
import { store } from "./store.js";
import { visible } from "./text.js";
import { chooser, createWalk, numbered, tokenChips } from "./walk.js";

const steps = ["tokens", "embedding", "position", "enter", "project", "rotary", "scores", "mask", "softmax", "values", "heads", "residual", "feed_forward", "stack", "last_norm", "logits", "next"];
const free = ["tokens", "last_norm", "logits", "next"]; // of no layer or head
// Where a decoder alone has something else to tell than an encoder-decoder.
const own = ["tokens", "position", "enter", "rotary", "mask", "residual", "feed_forward", "stack", "last_norm", "logits", "next"];

const state = { model: "", prompt: "", layer: 0, head: 0, query: undefined, before: [] };
let walk = null;

const change = changes => {
  Object.assign(state, changes);
  walk.load();
};
const textKey = (name, model) => {
  if (name === "feed_forward" && model.gated) return "prompt.feed_forward.gated";
  if (name === "logits" && model.tied) return "prompt.logits.tied";
  return own.includes(name) ? `prompt.${name}.text` : `explained.${name}.text`;
};

const actions = {
  useLayer: layer => change({ layer }),
  useHead: head => change({ head }),
  write: text => change({ prompt: state.prompt + text, query: undefined, before: [...state.before, state.prompt] }),
  unwrite: () => change({ prompt: state.before.at(-1), query: undefined, before: state.before.slice(0, -1) }),
  canUnwrite: () => state.before.length > 0,
};

const explanation = {
  asked: () => ({ prompt: state.prompt, model: state.model, layer: state.layer, head: state.head, query: state.query }),
  taken: answer => {
    state.query = answer.query;
    $("prompt-explained").hidden = false;
    return { ...answer, prompt: state.prompt, decoder_tokens: answer.decoder_tokens.map(visible) };
  },
  steps: numbers => steps.filter(name => name !== (numbers?.model.positions === "rotary" ? "position" : "rotary")),
  words: (name, model) => [`explained.${name}.title`, textKey(name, model)],
  values: ({ model, decoder_tokens: tokens }) => ({
    token: tokens[state.query], last: tokens.at(-1), layer: state.layer + 1, head: state.head + 1,
    norm: model.norm_kind === "rms" ? "RMSNorm" : "LayerNorm", activation: { gelu_tanh: "GELU", silu: "SiLU" }[model.activation] ?? model.activation.toUpperCase() }),
  figure: ({ model }, name) => promptFigure(model, name, step => { walk.show(step); walk.draw(); }),
  pictures: Object.fromEntries(steps.map(name => [name, numbers => promptPictures[name](numbers, actions)])),
  controls: ({ model, decoder_tokens: tokens }) => [
    chooser(t("attention.layer"), numbered(model.decoder_layers), state.layer, layer => change({ layer: Number(layer) })),
    chooser(t("explained.head"), numbered(model.heads), state.head, head => change({ head: Number(head) })),
    tokenChips(tokens, state.query, query => change({ query }))],
  controlled: name => !free.includes(name),
  isOpen: () => store.view === "generate" && !$("prompt-explained").hidden,
};

// Explains the text to the model; the playground's button.
export const explainPrompt = async (model, prompt) => {
  Object.assign(state, { model, prompt, layer: 0, head: 0, query: undefined, before: [] });
  await walk.load();
};

export const startPromptExplained = notice => {
  walk = createWalk($("prompt-walk"), notice, explanation);
};
