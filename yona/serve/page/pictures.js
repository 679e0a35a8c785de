// What each step of "the Transformer explained" shows: the model's numbers as strips, bars and maps.
// A picture takes the answer of /v1/explain and what can be done, and gives elements.
import { paintHeat } from "./attention_view.js";
import { make } from "./dom.js";
import { language, t } from "./i18n.js";
import { bars, short, strips } from "./numbers.js";
import { label, textOfPieces } from "./text.js";

export const queriesOf = n => (n.stack === "encoder" ? n.source_tokens : n.decoder_tokens).map(label);
const keysOf = n => (n.stack === "decoder" ? n.decoder_tokens : n.source_tokens).map(label);
export const caption = (name, total) => `${t(name)} · ${t("explained.channels", { shown: Math.min(16, total), total })}`;
export const rows = (labels, vectors, current) => vectors.map((values, index) => ({ label: labels[index], values, current: index === current }));
export const one = (name, values, sign) => ({ label: t(name), values, sign });
export const percent = value => `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)} %`;

// The weights of the chosen head, with the chosen token's row marked.
const map = n => {
  const canvas = make("canvas", { class: "map", role: "img", "aria-label": t("explained.map") }), { length: keys } = n.weights[0];
  const box = make("div", { class: "map-box" }, canvas), mark = make("span", { class: "map-mark", "aria-hidden": "true" });
  mark.style.setProperty("--from", n.query / n.weights.length);
  mark.style.setProperty("--share", 1 / n.weights.length);
  box.append(mark);
  box.style.setProperty("--columns", keys);
  box.style.setProperty("--rows", n.weights.length);
  // Colours are known once the canvas is part of the page.
  requestAnimationFrame(() => paintHeat(canvas, n.weights.length, keys, i => 255 * n.weights[Math.floor(i / keys)][i % keys]));
  return make("figure", { class: "map-figure" }, box, make("figcaption", { class: "soft small" }, t("explained.map")));
};

export const chips = (tokens, ids, name) => make("figure", { class: "token-figure" }, make("figcaption", { class: "soft small" }, name),
  make("ol", { class: "token-ids" }, ...tokens.map((token, index) => make("li", {}, make("b", { dir: "auto" }, token), make("span", {}, String(ids[index]))))));

export const pictures = {
  tokens: n => [chips(n.source_tokens, n.source_ids, t("explained.source")), chips(n.decoder_tokens.map(token => (token === "<pad>" ? "<start>" : token)), n.decoder_ids, t("explained.target"))],

  embedding: n => [strips(rows(queriesOf(n), n.embeddings, n.query), caption("explained.embeddings", n.model.d_model))],

  position: n => [
    strips([one("explained.embeddings_one", n.embeddings[n.query]), one("explained.positions_one", n.positions[n.query], "+"), one("explained.sum", n.sums[n.query], "=")], queriesOf(n)[n.query]),
    strips(rows(queriesOf(n), n.positions, n.query), caption("explained.positions", n.model.d_model))],

  project: n => [
    strips([{ label: "x", values: n.inputs[n.query] }, { label: "q", values: n.q }], queriesOf(n)[n.query]),
    strips(rows(keysOf(n), n.k), caption("explained.keys", n.model.d_k)),
    strips(rows(keysOf(n), n.v), caption("explained.values", n.model.d_v))],

  scores: n => [
    strips([{ label: "q", values: n.q, current: true }, ...rows(keysOf(n), n.k)], caption("explained.keys", n.model.d_k)),
    bars(keysOf(n).map((token, key) => ({ label: token, value: n.scores[key], text: short(n.scores[key]) })), t("explained.scores.title"))],

  mask: (n, { useStack }) => [
    bars(keysOf(n).map((token, key) => ({ label: token, value: n.seen[key] ? n.scores[key] : NaN, text: n.seen[key] ? short(n.scores[key]) : "−∞", state: n.seen[key] ? "" : "hidden-key" })), t("explained.mask.title")),
    ...(n.stack === "decoder" ? [] : [make("p", { class: "soft" }, t("explained.unmasked"), " ", make("button", { type: "button", onclick: () => useStack("decoder") }, t("explained.to_decoder")))])],

  softmax: n => [
    bars(keysOf(n).map((token, key) => ({ label: token, value: n.weights[n.query][key], text: percent(n.weights[n.query][key]), state: n.seen[key] ? "" : "hidden-key" })), t("explained.softmax.title")), map(n)],

  values: n => [
    strips([...n.v.map((values, key) => ({ label: keysOf(n)[key], values, sign: `${percent(n.weights[n.query][key])} ·` })), one("explained.sum", n.head_output, "=")], caption("explained.values", n.model.d_v))],

  heads: (n, { useHead }) => [
    bars(n.heads.map((head, index) => {
      const best = head.weights.indexOf(Math.max(...head.weights));
      return { label: t("attention.head", { head: index + 1 }), value: head.norm, text: `${keysOf(n)[best]} ${percent(head.weights[best])}`, state: index === n.head ? "current" : "", act: () => useHead(index), title: t("explained.use_head") };
    }), t("explained.heads.title")),
    make("p", { class: "soft small" }, t("explained.heads_note")),
    strips([one("explained.multi_head", n.attention_output)], caption("explained.multi_head", n.model.d_model))],

  norm: n => [
    strips([{ label: "x", values: n.inputs[n.query] }, one("explained.multi_head", n.attention_output, "+"), one("explained.normed", n.after_attention, "→")], caption("explained.norm.title", n.model.d_model))],

  feed_forward: n => {
    const share = make("div", { class: "share", role: "img", "aria-label": t("explained.zeros", { zeros: n.zeros, d_ff: n.model.d_ff }) });
    share.style.setProperty("--share", (1 - n.zeros / n.model.d_ff).toFixed(4));
    return [
      strips([one("explained.inner", n.inner), one("explained.activated", n.activated, "→")], caption("explained.hidden", n.model.d_ff)),
      ...(n.model.activation === "relu" ? [make("p", { class: "soft small" }, t("explained.zeros", { zeros: n.zeros.toLocaleString(language()), d_ff: n.model.d_ff.toLocaleString(language()) })), share] : []),
      strips([one("explained.outer", n.feed_forward_output), one("explained.normed", n.after_feed_forward, "→")], caption("explained.output", n.model.d_model))];
  },

  stack: (n, { useLayer }) => {
    const layers = n.stack === "encoder" ? n.model.encoder_layers : n.model.decoder_layers;
    return [
      make("ol", { class: "layers" }, ...Array.from({ length: layers }, (_, layer) => make("li", {}, make("button", { type: "button", "aria-pressed": layer === n.layer ? "true" : "false", onclick: () => useLayer(layer) },
        t("explained.layer", { layer: layer + 1 }))))),
      strips([one("explained.enters", n.inputs[n.query]), one("explained.leaves", n.after_feed_forward, "→")], caption("explained.output", n.model.d_model)), map(n)];
  },

  next: (n, { write, unwrite }) => {
    const written = n.decoder_tokens.slice(1);
    return [
      make("p", { class: "written" }, make("span", { class: "soft" }, t("explained.written"), " "), make("b", { dir: "auto" }, textOfPieces(written) || "…"), " ",
        ...(written.length ? [make("button", { type: "button", class: "quiet", onclick: unwrite }, t("explained.unwrite"))] : [])),
      bars(n.next.map(({ token, probability }) => ({ label: label(token), value: probability, text: percent(probability), act: token === "</s>" ? undefined : () => write(token), title: t("explained.write") })), t("explained.next.title")),
      make("p", { class: "soft small" }, t("explained.take"))];
  },
};
