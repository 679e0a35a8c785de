// Figure 1 of the paper, small: the blocks of the model, of which one is lit. A block that is
// clicked leads to its step.
import { svg } from "./dom.js";
import { t } from "./i18n.js";

// x, y, width and height in a drawing of 280 × 372; `step` is where a click leads, `stack` whose.
const blocks = [
  { name: "embedding", stack: "encoder", step: "embedding", x: 14, y: 330, w: 112, h: 26 },
  { name: "position", stack: "encoder", step: "position", x: 14, y: 292, w: 112, h: 22 },
  { name: "attention", stack: "encoder", step: "scores", x: 14, y: 232, w: 112, h: 30 },
  { name: "norm", stack: "encoder", step: "norm", x: 14, y: 206, w: 112, h: 20 },
  { name: "feed_forward", stack: "encoder", step: "feed_forward", x: 14, y: 166, w: 112, h: 30 },
  { name: "norm", stack: "encoder", step: "norm", second: true, x: 14, y: 140, w: 112, h: 20 },
  { name: "embedding", stack: "decoder", step: "embedding", x: 154, y: 330, w: 112, h: 26 },
  { name: "position", stack: "decoder", step: "position", x: 154, y: 292, w: 112, h: 22 },
  { name: "masked", stack: "decoder", step: "mask", x: 154, y: 232, w: 112, h: 30 },
  { name: "norm", stack: "decoder", step: "norm", x: 154, y: 206, w: 112, h: 20 },
  { name: "attention", stack: "cross", step: "scores", x: 154, y: 166, w: 112, h: 30 },
  { name: "norm", stack: "cross", step: "norm", x: 154, y: 140, w: 112, h: 20 },
  { name: "feed_forward", stack: "decoder", step: "feed_forward", x: 154, y: 100, w: 112, h: 30 },
  { name: "norm", stack: "decoder", step: "norm", second: true, x: 154, y: 74, w: 112, h: 20 },
  { name: "softmax", stack: "decoder", step: "next", x: 154, y: 24, w: 112, h: 26 },
];
const inAttention = ["project", "scores", "mask", "softmax", "values", "heads"];

const isLit = (block, step, stack) => {
  if (step === "next") return block.name === "softmax";
  if (step === "tokens" || step === "embedding") return block.name === "embedding" && (block.stack === "encoder") === (stack === "encoder");
  if (step === "position") return block.name === "position" && (block.stack === "encoder") === (stack === "encoder");
  if (inAttention.includes(step)) return (block.name === "attention" || block.name === "masked") && block.stack === stack;
  if (step === "norm") return block.name === "norm" && block.stack === stack && !block.second;
  if (step === "feed_forward") return block.name === "feed_forward" && (block.stack === "encoder") === (stack === "encoder");
  return false;
};

// A figure of blocks { name, x, y, w, h, lit, act }, frames of layers { x, y, w, h, n, nx, anchor,
// lit } and wires, in a drawing of that view box. The caption is for screen readers.
export const drawFigure = ({ viewBox, caption, frames, wires, blocks, sides }) => {
  const drawing = svg("svg", { viewBox, class: "figure", role: "group", "aria-label": caption });
  for (const { x, y, w, h, n, nx, anchor, lit } of frames) {
    drawing.append(svg("rect", { class: lit ? "frame lit" : "frame", x, y, width: w, height: h, rx: 10 }),
      svg("text", { class: "times", x: nx, y: y + 16, "text-anchor": anchor }, `${n}×`));
  }
  for (const wire of wires) drawing.append(svg("path", { class: "wire", d: wire }));
  for (const { name, x, y, w, h, lit, act } of blocks) {
    drawing.append(svg("g", { class: lit ? "block lit" : "block", "aria-hidden": "true", onclick: act }, svg("rect", { x, y, width: w, height: h, rx: 5 }),
      svg("text", { x: x + w / 2, y: y + h / 2 + 4, "text-anchor": "middle" }, t("explained.block." + name))));
  }
  for (const { x, y, text } of sides) drawing.append(svg("text", { class: "side", x, y, "text-anchor": "middle" }, text));
  return drawing;
};

// choose(step, stack) is called for a block that is clicked.
export const figure = (model, step, stack, choose) => {
  const frames = [{ x: 6, y: 130, w: 128, h: 142, n: model.encoder_layers, nx: 0, anchor: "end", stack: "encoder" }, { x: 146, y: 64, w: 128, h: 208, n: model.decoder_layers, nx: 279, anchor: "start", stack: "decoder" }];
  return drawFigure({
    viewBox: "-20 0 320 376",
    caption: t("explained.figure"),
    frames: frames.map(frame => ({ ...frame, lit: step === "stack" && (stack === "encoder") === (frame.stack === "encoder") })),
    wires: ["M70 330V314", "M70 292V262", "M70 206V196", "M70 140V116Q70 108 78 108H132Q140 108 140 116V173Q140 181 148 181H154", "M210 330V314", "M210 292V262", "M210 206V196", "M210 140V130", "M210 74V50", "M210 24V10"],
    blocks: blocks.map(block => ({ ...block, lit: isLit(block, step, stack), act: () => choose(block.step, block.stack) })),
    sides: [{ x: 70, y: 372, text: t("explained.source") }, { x: 210, y: 372, text: t("explained.target") }],
  });
};
