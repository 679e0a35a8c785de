// What each step of a language model's explanation shows: those of pictures.js, and what a decoder
// alone has that the paper's Transformer has not, or has at another place.
import { make, svg } from "./dom.js";
import { t } from "./i18n.js";
import { bars, short, strips } from "./numbers.js";
import { caption, chips, one, percent, pictures, queriesOf, rows } from "./pictures.js";
import { visible } from "./text.js";

// A part of a character and a token of no text cannot be written after the prompt.
const canWrite = token => token !== "" && !token.includes("\ufffd") && !/^<.+>$/.test(token);
const degrees = angle => `${Math.round(180 * angle / Math.PI).toLocaleString()}°`;

// A pair of channels before and after it is turned: two arrows in a circle.
const turned = ({ before, after, angle }, index) => {
  const most = Math.max(1e-6, Math.hypot(...before)), end = ([x, y]) => [50 + 40 * x / most, 50 - 40 * y / most];
  const arrow = (point, name) => {
    const [x, y] = end(point);
    return [svg("line", { class: name, x1: 50, y1: 50, x2: x, y2: y }), svg("circle", { class: name, cx: x, cy: y, r: 4 })];
  };
  return make("figure", { class: "turn" },
    svg("svg", { viewBox: "0 0 100 100", role: "img", "aria-label": t("prompt.turn", { pair: index + 1, angle: degrees(angle) }) },
      svg("circle", { class: "rim", cx: 50, cy: 50, r: 40 }), ...arrow(before, "before"), ...arrow(after, "after")),
    make("figcaption", { class: "soft small" }, degrees(angle)));
};

const lastToken = n => `“${n.decoder_tokens.at(-1)}” · ${t("explained.channels", { shown: n.last_state.length, total: n.model.d_model })}`;

export const promptPictures = {
  ...pictures,

  tokens: n => [chips(n.decoder_tokens, n.decoder_ids, t("generate.prompt"))],

  enter: n => [strips([{ label: "x", values: n.inputs[n.query] }, { label: "x′", values: n.attention_input, sign: "→" }], caption("explained.output_norm", n.model.d_model))],

  project: n => {
    const { q, k } = n.turns.length > 0 ? { q: n.unturned_q, k: n.unturned_k } : n;
    const keys = queriesOf(n);
    return [
      strips([{ label: "x′", values: n.attention_input }, { label: "q", values: q }], keys[n.query]),
      strips(rows(keys, k), caption("explained.keys", n.model.d_k)),
      strips(rows(keys, n.v), caption("explained.values", n.model.d_v)),
      ...(n.model.kv_heads < n.model.heads ? [make("p", { class: "soft small" }, t("prompt.shared", n.model))] : [])];
  },

  rotary: n => [
    strips([{ label: "q", values: n.unturned_q }, one("prompt.turned", n.q, "→")], queriesOf(n)[n.query]),
    make("div", { class: "turns" }, ...n.turns.map(turned)),
    make("p", { class: "soft small" }, t("prompt.turns_note"))],

  residual: n => [strips([{ label: "x", values: n.inputs[n.query] }, one("explained.multi_head", n.attention_output, "+"), one("explained.sum", n.after_attention, "=")], caption("explained.multi_head", n.model.d_model))],

  feed_forward: n => [
    strips([{ label: "x", values: n.after_attention }, { label: "x′", values: n.feed_forward_input, sign: "→" }], caption("explained.output_norm", n.model.d_model)),
    strips([{ label: "x′ W₁", values: n.inner }, ...(n.model.gated ? [{ label: make("span", {}, "x′ W", make("sub", {}, "g")), values: n.gate }] : []), one("explained.activated", n.activated, "→")], caption("explained.hidden", n.model.d_ff)),
    strips([{ label: "x", values: n.after_attention }, one("explained.outer", n.feed_forward_output, "+"), one("explained.sum", n.after_feed_forward, "=")], caption("explained.output", n.model.d_model))],

  last_norm: n => [strips([{ label: "x", values: n.last_layer }, { label: "h", values: n.last_state, sign: "→" }], lastToken(n))],

  logits: n => [
    strips([{ label: "h", values: n.last_state }], lastToken(n)),
    bars(n.next.map(({ token, logit }) => ({ label: visible(token), value: logit, text: short(logit) })), t("explained.logits.title"))],

  next: (n, { write, unwrite, canUnwrite }) => [
    make("p", { class: "written" }, make("span", { class: "soft" }, t("explained.written"), " "), make("b", { dir: "auto" }, n.prompt), " ",
      ...(canUnwrite() ? [make("button", { type: "button", class: "quiet", onclick: unwrite }, t("explained.unwrite"))] : [])),
    bars(n.next.map(({ token, probability }) => ({ label: visible(token), value: probability, text: percent(probability), act: canWrite(token) ? () => write(token) : undefined, title: t("explained.write") })), t("explained.next.title")),
    make("p", { class: "soft small" }, t("explained.take"))],
};
