// The view of all layers and heads: the sentence's weights in attention_view.js, which the page of
// `yona attention` shares.
import { attentionView } from "./attention_view.js";
import { $ } from "./dom.js";
import { onLanguage, t } from "./i18n.js";
import { attentionOf } from "./session.js";
import { currentSentence, on, store } from "./store.js";
import { label } from "./text.js";

// [layer][head][query][key] → bytes, made when first looked at.
const partOf = (name, layers, queries, keys) => {
  const made = new Map();
  const weights = layer => {
    if (!made.has(layer)) made.set(layer, Uint8Array.from(layers[layer].flat(2), weight => Math.round(255 * weight)));
    return made.get(layer);
  };
  return { name, queries: queries.map(label), keys: keys.map(label), layers: layers.length, weights };
};

const dataOf = ({ heads, colours, encoder, decoder, cross, source_tokens: source, target_tokens: target, decoder_tokens: read }) =>
  ({ heads, colours, parts: [partOf("encoder", encoder, source, source), partOf("decoder", decoder, read, read), partOf("cross", cross, target, source)] });

export const startAttention = notice => {
  const view = attentionView($("attention"), t);
  let shown = null; // { entry, attention }
  const draw = async () => {
    if (store.view !== "attention") return;
    const entry = currentSentence()?.entry;
    $("attention").hidden = entry?.state !== "done" || (shown !== null && shown.entry !== entry); // another sentence's weights
    if (entry?.state !== "done") return;
    try {
      const attention = await attentionOf(entry);
      if (currentSentence()?.entry !== entry) return;
      $("attention").hidden = !attention;
      if (!attention || shown?.attention === attention) return;
      if (shown?.entry !== entry) view.state.token = null;
      shown = { entry, attention };
      view.show(dataOf(attention));
    } catch (error) {
      notice(error, 0);
    }
  };
  on("view", () => { draw(); view.draw(); });
  on("current", draw);
  on("sentences", draw);
  on("entry", draw);
  on("theme", () => view.repaint());
  onLanguage(() => view.data && view.build());
  document.addEventListener("keydown", event => {
    if (store.view === "attention" && !event.target.matches("select, input, textarea")) view.press(event);
  });
};
