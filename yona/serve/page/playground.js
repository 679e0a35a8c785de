// The playground of a language model: a prompt, the settings of /v1/completions, the answer as it
// grows, the distribution that each of its tokens was taken from, the attention over the prompt, and the
// model explained with it (prompt_explained.js).
import { patiently, postJson, postStream } from "./api.js";
import { attentionView } from "./attention_view.js";
import { $, make } from "./dom.js";
import { onLanguage, t } from "./i18n.js";
import { bars } from "./numbers.js";
import { explainPrompt, startPromptExplained } from "./prompt_explained.js";
import { on, store } from "./store.js";
import { stored } from "./stored.js";
import { visible } from "./text.js";

const SHOWN = 10; // best tokens of a distribution
const NEW_TOKENS = 60;
const numbers = ["temperature", "top_k", "top_p", "max_tokens", "seed"];
const field = name => $("generate-" + name.replace("_", "-"));

let notice = () => {};
let running = null; // AbortController
let tokens = []; // { text, logprob, best: [[text, logprob] …] }
let chosen = -1; // the token whose distribution is shown

const percent = logprob => `${(100 * Math.exp(logprob)).toFixed(1)} %`;

const drawDistribution = () => {
  const token = tokens[chosen];
  $("distribution").hidden = !token;
  if (!token) return;
  $("distribution-title").textContent = t("generate.distribution", { number: chosen + 1, token: visible(token.text) });
  const rows = token.best.map(([text, logprob]) => ({
    label: visible(text), value: Math.exp(logprob), text: percent(logprob), state: text === token.text ? "current" : "" }));
  $("distribution-bars").replaceChildren(bars(rows, $("distribution-title").textContent));
};

const choose = index => {
  chosen = index;
  for (const [at, element] of [...$("generated").querySelectorAll("button")].entries()) element.setAttribute("aria-pressed", at === index);
  drawDistribution();
};

// A token is darker the less probable it was. A line feed inside a button does not break the line of the text around it, so
// the breaks follow the button.
const append = token => {
  const index = tokens.push(token) - 1;
  const feeds = token.text.split("\n").length - 1;
  const element = make("button", { type: "button", class: feeds ? "piece feed" : "piece", "aria-pressed": false, title: percent(token.logprob), onclick: () => choose(index) }, token.text);
  element.style.setProperty("--share", Math.exp(token.logprob).toFixed(3));
  $("generated").append(element, ...Array.from({ length: feeds }, () => make("br", {})));
};

const take = ({ error, choices }) => {
  if (error) throw new Error(error.message);
  const given = choices?.[0]?.logprobs;
  given?.tokens.forEach((text, i) => append({
    text, logprob: given.token_logprobs[i], best: Object.entries(given.top_logprobs[i] ?? {}).sort((a, b) => b[1] - a[1]) }));
};

const body = () => {
  const asked = { model: $("generator").value, prompt: $("prompt").value, stream: true, logprobs: SHOWN };
  for (const name of numbers) if (field(name).value !== "") asked[name] = Number(field(name).value);
  const stop = field("stop").value.replaceAll("\\n", "\n");
  if (stop) asked.stop = [stop];
  return asked;
};

const setRunning = controller => {
  running = controller;
  $("generate").hidden = $("peek").hidden = controller !== null;
  $("generate-end").hidden = controller === null;
};

const run = async changes => {
  running?.abort();
  const controller = new AbortController();
  setRunning(controller);
  tokens = [];
  $("generated").replaceChildren();
  choose(-1);
  notice(null, 0);
  $("generate-said").textContent = "";
  const start = performance.now();
  try {
    await patiently(() => postStream("/v1/completions", { ...body(), ...changes }, controller.signal, (_, data) => take(data)),
      controller.signal, seconds => notice(null, seconds));
  } catch (error) {
    if (error.name !== "AbortError") notice(error, 0);
  }
  if (running !== controller) return; // another one has begun
  setRunning(null);
  if (tokens.length === 0) return;
  choose(changes.max_tokens === 1 ? 0 : tokens.length - 1);
  if (tokens.length === 1) return;
  const seconds = (performance.now() - start) / 1000;
  $("generate-said").textContent = t("generate.said", { tokens: tokens.length, seconds: seconds.toFixed(1), speed: Math.round(tokens.length / seconds) });
};

// The prompt, with what was generated after it.
const wholeText = () => $("prompt").value + tokens.map(token => token.text).join("");

// All heads over it.
const look = async view => {
  notice(null, 0);
  const prompt = wholeText();
  try {
    const { tokens: read, heads, colours, layers } = await patiently(
      () => postJson("/v1/prompt_attention", { model: $("generator").value, prompt }), null, seconds => notice(null, seconds));
    const labels = read.map(visible);
    $("prompt-attention").hidden = false;
    view.state.token = null;
    view.show({ heads, colours, parts: [{ name: "decoder", queries: labels, keys: labels, layers: layers.length, weights: layer => layers[layer] }] });
  } catch (error) {
    notice(error, 0);
  }
};

// A model with a short context is not asked for more than half of it, unless the user chose the number.
const fitContext = () => {
  const model = store.generators.find(model => model.id === $("generator").value);
  if (model && !stored("generate-max_tokens")) field("max_tokens").value = Math.max(1, Math.min(NEW_TOKENS, Math.floor(model.context / 2)));
};

const fillGenerators = () => {
  $("generator").replaceChildren(...store.generators.map(model => make("option", { value: model.id }, model.id)));
  $("generator-choice").hidden = store.generators.length < 2;
  fitContext();
};

export const startPlayground = tell => {
  notice = tell;
  for (const name of [...numbers, "stop"]) {
    const kept = stored("generate-" + name);
    if (kept) field(name).value = kept;
    field(name).addEventListener("change", () => stored("generate-" + name, field(name).value));
  }
  $("playground").addEventListener("submit", event => {
    event.preventDefault();
    run({});
  });
  $("generator").addEventListener("change", fitContext);
  const view = attentionView($("prompt-heads"), t);
  $("look").addEventListener("click", () => look(view));
  startPromptExplained(notice);
  $("explain").addEventListener("click", () => {
    notice(null, 0);
    explainPrompt($("generator").value, wholeText());
  });
  on("theme", () => view.repaint());
  onLanguage(() => view.data && view.build());
  $("peek").addEventListener("click", () => run({ max_tokens: 1, temperature: 0 }));
  $("generate-end").addEventListener("click", () => running?.abort());
  $("prompt").addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("playground").requestSubmit();
  });
  on("generators", fillGenerators);
  onLanguage(drawDistribution);
};
