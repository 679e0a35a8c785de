// A decoder alone, small: the blocks of GPT-2 or Llama from the embedding to the softmax, of which
// one is lit. A block that is clicked leads to its step.
import { drawFigure } from "./figure.js";
import { t } from "./i18n.js";

// y and height in a drawing of 376; `step` is where a click leads, `lights` whose steps light it.
const blocks = [
  { name: "embedding", step: "embedding", lights: ["tokens", "embedding"], y: 330, h: 26 },
  { name: "position", step: "position", lights: ["position"], y: 296, h: 22 },
  { name: "norm_alone", step: "enter", lights: ["enter"], y: 250, h: 20 },
  { name: "masked", step: "mask", lights: ["project", "rotary", "scores", "mask", "softmax", "values", "heads"], y: 210, h: 30 },
  { name: "add", step: "residual", lights: ["residual"], y: 182, h: 18 },
  { name: "norm_alone", step: "feed_forward", lights: [], y: 152, h: 20 },
  { name: "feed_forward", step: "feed_forward", lights: ["feed_forward"], y: 112, h: 30 },
  { name: "add", step: "feed_forward", lights: [], y: 84, h: 18 },
  { name: "norm_alone", step: "last_norm", lights: ["last_norm"], y: 46, h: 18 },
  { name: "softmax", step: "next", lights: ["logits", "next"], y: 12, h: 24 },
];
const X = 74, WIDTH = 132, MIDDLE = X + WIDTH / 2;
const around = (from, to) => `M${MIDDLE} ${from}H${X + WIDTH + 14}V${to}H${X + WIDTH}`; // past a sub-layer
const up = (from, to) => `M${MIDDLE} ${from}V${to}`;

// choose(step) is called for a block that is clicked.
export const promptFigure = (model, step, choose) => {
  const learned = model.positions !== "rotary";
  return drawFigure({
    viewBox: "-20 0 320 376",
    caption: t("prompt.figure"),
    frames: [{ x: X - 12, y: 76, w: WIDTH + 36, h: 206, n: model.decoder_layers, nx: X - 18, anchor: "end", lit: step === "stack" }],
    wires: [...(learned ? [up(330, 318), up(296, 270)] : [up(330, 270)]), up(250, 240), up(210, 200), up(182, 172), up(152, 142), up(112, 102), up(84, 64), up(46, 36), up(12, 2), around(276, 191), around(177, 93)],
    blocks: blocks.filter(({ name }) => learned || name !== "position").map(({ name, y, h, lights, step: to }) =>
      ({ name, x: X, y, w: WIDTH, h, lit: lights.includes(step), act: () => choose(to) })),
    sides: [{ x: MIDDLE, y: 372, text: t("generate.prompt") }],
  });
};
