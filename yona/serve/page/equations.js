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

// `model` is that of /v1/explain: what the served model does differently from the paper is written
// as the model does it.
export const equations = {
  tokens: () => [whole(mi("x"), mo("="), row(mo("("), ...list(sub(mi("x"), mn("1")), mo("…"), sub(mi("x"), mi("n"))), mo(")")))],
  embedding: model => [whole(sub(mi("e"), mi("i")), mo("="), mi("E"), mo("["), sub(mi("x"), mi("i")), mo("]"), ...(model.scaled_embedding ? [mo("·"), root(d("model"))] : []))],
  position: model => (model.positions === "sinusoidal" ? [sine("sin"), sine("cos")] : [whole(sub(mi("h"), mi("i")), mo("="), sub(mi("e"), mi("i")), mo("+"), sub(mi("p"), mi("i")))]),
  project: model => [...(model.norm === "post" ? [] : [whole(entering(model), mo("="), call("LayerNorm", mi("X")))]), whole(...["Q", "K", "V"].flatMap((name, index) => [...(index ? [mo(","), math("mspace", { width: "1em" })] : []), sub(mi(name), mi("i")), mo("="), entering(model), weight(name, "i")]))],
  scores: model => [whole(mi("S"), mo("="), scores(model.scaled))],
  mask: () => [whole(sub(mi("S"), row(mi("i"), mi("j"))), mo("="), mo("−"), mi("∞"), math("mspace", { width: "1em" }), mi("j"), mo(">"), mi("i"))],
  softmax: () => [whole(sub(mi("A"), row(mi("i"), mi("j"))), mo("="), fraction(sup(mi("e"), sub(mi("S"), row(mi("i"), mi("j")))), row(sub(mo("∑"), mi("l")), sup(mi("e"), sub(mi("S"), row(mi("i"), mi("l")))))))],
  values: model => [whole(call("Attention", ...list(mi("Q"), mi("K"), mi("V"))), mo("="), upright("softmax"), mo("("), scores(model.scaled), mo(")"), mi("V"))],
  heads: () => [whole(call("MultiHead", ...list(mi("Q"), mi("K"), mi("V"))), mo("="), call("Concat", ...list(sub(upright("head"), mn("1")), mo("…"), sub(upright("head"), mi("h")))), sup(mi("W"), mi("O")))],
  norm: model => [model.norm === "post" ? whole(mi("y"), mo("="), call("LayerNorm", mi("x"), mo("+"), call("Sublayer", mi("x"))))
    : whole(mi("y"), mo("="), mi("x"), mo("+"), call("Sublayer", call("LayerNorm", mi("x"))))],
  feed_forward: model => [whole(call("FFN", mi("x")), mo("="), model.activation === "relu" ? call("max", ...list(mn("0"), row(mi("x"), sub(mi("W"), mn("1")), mo("+"), sub(mi("b"), mn("1")))))
    : call(model.activation.toUpperCase().replace("_TANH", ""), mi("x"), sub(mi("W"), mn("1")), mo("+"), sub(mi("b"), mn("1"))), sub(mi("W"), mn("2")), mo("+"), sub(mi("b"), mn("2")))],
  stack: model => [whole(mi("N"), mo("="), mn(String(model.encoder_layers)), ...(model.decoder_layers === model.encoder_layers ? [] : [mo("+"), mn(String(model.decoder_layers))]))],
  next: () => [whole(mi("P"), mo("("), sub(mi("y"), mi("t")), mo("|"), ...list(sub(mi("y"), row(mo("<"), mi("t"))), mi("x")), mo(")"), mo("="), call("softmax", sub(mi("h"), mi("t")), sup(mi("E"), mi("T"))))],
};
