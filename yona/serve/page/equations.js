// The paper's equations in MathML, by step of "the Transformer explained".
import { math } from "./dom.js";

const mi = text => math("mi", {}, text);
const upright = text => math("mi", { mathvariant: "normal" }, text);
const mo = text => math("mo", {}, text);
const mn = text => math("mn", {}, text);
const row = (...parts) => math("mrow", {}, ...parts);
const sub = (base, index) => math("msub", {}, base, index);
const sup = (base, power) => math("msup", {}, base, power);
const fraction = (above, below) => math("mfrac", {}, above, below);
const root = inside => math("msqrt", {}, inside);
const call = (name, ...inside) => row(upright(name), mo("("), ...inside, mo(")"));
const list = (...parts) => parts.flatMap((part, index) => (index ? [mo(","), part] : [part]));
const whole = (...parts) => math("math", { display: "block" }, row(...parts));

const d = index => sub(mi("d"), math("mi", { mathvariant: "normal" }, index));
const weight = (name, index) => math("msubsup", {}, mi("W"), mi(index), mi(name));
const transposed = name => sup(mi(name), mi("T"));
const scores = scaled => (scaled ? fraction(row(mi("Q"), transposed("K")), root(d("k"))) : row(mi("Q"), transposed("K")));
// What a sub-layer reads: X, or X′ = LayerNorm(X) where the norm stands in front of it.
const entering = model => (model.norm === "post" ? mi("X") : sup(mi("X"), mo("′")));
const sine = name => {
  const angle = row(mi("pos"), mo("/"), sup(mn("10000"), row(mn("2"), mi("i"), mo("/"), d("model"))));
  const index = name === "sin" ? row(mn("2"), mi("i")) : row(mn("2"), mi("i"), mo("+"), mn("1"));
  return whole(sub(mi("PE"), row(...list(mi("pos"), index))), mo("="), call(name, angle));
};

const normOf = model => (model.norm_kind === "rms" ? "RMSNorm" : "LayerNorm");
const gelu = model => ({ gelu_tanh: "GELU", silu: "SiLU" }[model.activation] ?? model.activation.toUpperCase());
const product = (x, name, bias) => row(x, sub(mi("W"), name), ...(bias ? [mo("+"), sub(mi("b"), bias)] : []));
// f(x W₁) ∘ x W_g
const gated = model => row(call(gelu(model), product(mi("x"), mn("1"))), mo("∘"), mo("("), product(mi("x"), upright("g")), mo(")"));
const feedForward = model => {
  if (model.gated) return whole(call("FFN", mi("x")), mo("="), mo("("), gated(model), mo(")"), sub(mi("W"), mn("2")));
  const inner = product(mi("x"), mn("1"), mn("1"));
  const hidden = model.activation === "relu" ? call("max", ...list(mn("0"), inner)) : call(gelu(model), inner);
  return whole(call("FFN", mi("x")), mo("="), hidden, sub(mi("W"), mn("2")), mo("+"), sub(mi("b"), mn("2")));
};
const logit = index => sub(mi("z"), index);

// `model` is that of /v1/explain: what the served model does differently from the paper is written
// as the model does it.
export const equations = {
  tokens: () => [whole(mi("x"), mo("="), row(mo("("), ...list(sub(mi("x"), mn("1")), mo("…"), sub(mi("x"), mi("n"))), mo(")")))],
  embedding: model => [whole(sub(mi("e"), mi("i")), mo("="), mi("E"), mo("["), sub(mi("x"), mi("i")), mo("]"), ...(model.scaled_embedding ? [mo("·"), root(d("model"))] : []))],
  position: model => (model.positions === "sinusoidal" ? [sine("sin"), sine("cos")] : [whole(sub(mi("h"), mi("i")), mo("="), sub(mi("e"), mi("i")), mo("+"), sub(mi("p"), mi("i")))]),
  project: model => [...(model.norm === "post" ? [] : [whole(entering(model), mo("="), call(normOf(model), mi("X")))]), whole(...["Q", "K", "V"].flatMap((name, index) => [...(index ? [mo(","), math("mspace", { width: "1em" })] : []), sub(mi(name), mi("i")), mo("="), entering(model), weight(name, "i")]))],
  scores: model => [whole(mi("S"), mo("="), scores(model.scaled))],
  mask: () => [whole(sub(mi("S"), row(mi("i"), mi("j"))), mo("="), mo("−"), mi("∞"), math("mspace", { width: "1em" }), mi("j"), mo(">"), mi("i"))],
  softmax: () => [whole(sub(mi("A"), row(mi("i"), mi("j"))), mo("="), fraction(sup(mi("e"), sub(mi("S"), row(mi("i"), mi("j")))), row(sub(mo("∑"), mi("l")), sup(mi("e"), sub(mi("S"), row(mi("i"), mi("l")))))))],
  values: model => [whole(call("Attention", ...list(mi("Q"), mi("K"), mi("V"))), mo("="), upright("softmax"), mo("("), scores(model.scaled), mo(")"), mi("V"))],
  heads: () => [whole(call("MultiHead", ...list(mi("Q"), mi("K"), mi("V"))), mo("="), call("Concat", ...list(sub(upright("head"), mn("1")), mo("…"), sub(upright("head"), mi("h")))), sup(mi("W"), mi("O")))],
  norm: model => [model.norm === "post" ? whole(mi("y"), mo("="), call(normOf(model), mi("x"), mo("+"), call("Sublayer", mi("x"))))
    : whole(mi("y"), mo("="), mi("x"), mo("+"), call("Sublayer", call(normOf(model), mi("x"))))],
  feed_forward: model => [feedForward(model)],
  stack: model => [whole(mi("N"), mo("="), ...(model.encoder_layers > 0 ? [mn(String(model.encoder_layers))] : []), ...(model.decoder_layers === model.encoder_layers ? [] : [...(model.encoder_layers > 0 ? [mo("+")] : []), mn(String(model.decoder_layers))]))],
  next: model => [model.encoder_layers > 0
    ? whole(mi("P"), mo("("), sub(mi("y"), mi("t")), mo("|"), ...list(sub(mi("y"), row(mo("<"), mi("t"))), mi("x")), mo(")"), mo("="), call("softmax", sub(mi("h"), mi("t")), sup(mi("E"), mi("T"))))
    : whole(mi("P"), mo("("), sub(mi("x"), row(mi("n"), mo("+"), mn("1"))), mo("="), mi("i"), mo("|"), ...list(sub(mi("x"), mn("1")), mo("…"), sub(mi("x"), mi("n"))), mo(")"), mo("="), fraction(sup(mi("e"), logit(mi("i"))), row(sub(mo("∑"), mi("l")), sup(mi("e"), logit(mi("l"))))))],

  // Of a decoder alone.
  enter: model => [whole(sup(mi("X"), mo("′")), mo("="), call(normOf(model), mi("X"))),
    model.norm_kind === "rms" ? whole(call("RMSNorm", mi("x")), mo("="), fraction(mi("x"), root(row(fraction(mn("1"), mi("d")), mo("∑"), sup(sub(mi("x"), mi("l")), mn("2"))))), mo("∘"), mi("w"))
      : whole(call("LayerNorm", mi("x")), mo("="), fraction(row(mi("x"), mo("−"), mi("μ")), mi("σ")), mo("∘"), mi("w"), mo("+"), mi("b"))],
  rotary: () => {
    const first = () => sub(mi("q"), mi("l")), second = () => sub(mi("q"), row(mi("l"), mo("+"), d("k"), mo("/"), mn("2")));
    const times = (q, name) => row(q, upright(name), mi("φ"));
    return [whole(first(), mo("←"), times(first(), "cos"), mo("−"), times(second(), "sin")), whole(second(), mo("←"), times(first(), "sin"), mo("+"), times(second(), "cos")),
      whole(mi("φ"), mo("="), mi("pos"), mo("·"), sup(mi("θ"), row(mo("−"), mn("2"), mi("l"), mo("/"), d("k"))))];
  },
  residual: model => [whole(mi("X"), mo("←"), mi("X"), mo("+"), call("MultiHead", call(normOf(model), mi("X"))))],
  last_norm: model => [whole(mi("h"), mo("="), call(normOf(model), sub(mi("x"), mi("n"))))],
  logits: model => [whole(mi("z"), mo("="), mi("h"), sup(model.tied ? mi("E") : mi("W"), mi("T")))],
};
