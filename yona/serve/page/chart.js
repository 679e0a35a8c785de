// A line chart: a few series over the updates of a run, with axes, and the values at the pointer.
import { make, svg } from "./dom.js";
import { language } from "./i18n.js";

const WIDTH = 480, HEIGHT = 230, LEFT = 52, RIGHT = 24, TOP = 10, BOTTOM = 26;

export const shortNumber = (value, digits = 3) => {
  const size = Math.abs(value);
  if (size > 0 && size < 0.0001) return value.toExponential(Math.max(1, digits - 2));
  return new Intl.NumberFormat(language(), { notation: size >= 10000 ? "compact" : "standard", maximumSignificantDigits: digits }).format(value);
};

// Where an axis begins and ends: values that are all alike lie in its middle, or, where it begins at
// zero, below its upper end.
export const range = (values, zero = false) => {
  let low = Math.min(...values), high = Math.max(...values);
  if (zero) low = Math.min(0, low);
  if (Math.min(...values) === high) {
    const room = Math.abs(high) * 0.1 || 1;
    if (!zero) low -= room;
    high += room;
  }
  return { low, high };
};

// Round numbers between low and high, about `count` of them and at least `least` apart, with as many
// digits as tell them apart: [{ value, text }].
export const ticks = ({ low, high }, count, least = 0) => {
  const rough = Math.max((high - low) / count, least) || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(times => times * power).find(candidate => candidate >= rough * (1 - 1e-9));
  const values = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; ++index) values.push(index === 0 ? 0 : index * step);
  let digits = 3;
  while (digits < 15 && values.some(value => Math.abs(Number(value.toPrecision(digits)) - value) > step * 1e-3)) ++digits;
  return values.map(value => ({ value, text: shortNumber(value, digits) }));
};

// series: [{ name, style (a class), points: [[x, y] …] }]; `zero` lets the axis begin at zero.
export const chart = (title, series, { zero = false } = {}) => {
  const points = series.flatMap(one => one.points), xs = points.map(point => point[0]), ys = points.map(point => point[1]);
  const across = range(xs), up = range(ys, zero), one = xs.every(place => place === xs[0]);
  const x = value => LEFT + (value - across.low) / (across.high - across.low) * (WIDTH - LEFT - RIGHT);
  const y = value => HEIGHT - BOTTOM - (value - up.low) / (up.high - up.low) * (HEIGHT - TOP - BOTTOM);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  for (const { value, text } of ticks(up, 5)) {
    drawing.append(svg("line", { class: "rule", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }), svg("text", { class: "tick-y", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, text));
  }
  // Updates are whole numbers; a single one is the only mark.
  for (const { value, text } of one ? [{ value: xs[0], text: shortNumber(xs[0]) }] : ticks(across, 5, 1)) {
    drawing.append(svg("text", { class: "tick-x", x: x(value), y: HEIGHT - 7, "text-anchor": "middle" }, text));
  }
  for (const { style, points: line } of series) {
    const path = line.map(([a, b], index) => `${index ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
    drawing.append(svg("path", { class: "line " + style, d: path }));
    if (line.length === 1) drawing.append(svg("circle", { class: "dot-mark " + style, cx: x(line[0][0]), cy: y(line[0][1]), r: 3 }));
  }
  const cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
  drawing.append(cursor);
  const latest = () => series.map(({ name, points: line }) => `${name} ${shortNumber(line[line.length - 1][1])}`).join(" · ");
  const said = make("span", { class: "reading soft" }, latest());
  drawing.addEventListener("pointermove", event => {
    const box = drawing.getBoundingClientRect(), at = across.low + ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT) * (across.high - across.low);
    const nearest = line => line.reduce((best, point) => (Math.abs(point[0] - at) < Math.abs(best[0] - at) ? point : best));
    const place = nearest(series[0].points)[0];
    cursor.setAttribute("x1", x(place));
    cursor.setAttribute("x2", x(place));
    cursor.setAttribute("visibility", "visible");
    said.textContent = `${shortNumber(place)}: ` + series.map(({ name, points: line }) => `${name} ${shortNumber(nearest(line)[1])}`).join(" · ");
  });
  drawing.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    said.textContent = latest();
  });
  return make("figure", { class: "chart" }, make("figcaption", {}, make("b", {}, title), " ", said), drawing);
};
