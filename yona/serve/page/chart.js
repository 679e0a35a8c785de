// A line chart: a few series over the updates of a run, with axes, and the values at the pointer.
import { make, svg } from "./dom.js";
import { language } from "./i18n.js";

const WIDTH = 480, HEIGHT = 230, LEFT = 52, RIGHT = 24, TOP = 10, BOTTOM = 26;

export const shortNumber = value => {
  const size = Math.abs(value);
  if (size > 0 && size < 0.001) return value.toExponential(1);
  return new Intl.NumberFormat(language(), { notation: size >= 10000 ? "compact" : "standard", maximumSignificantDigits: 3 }).format(value);
};

// Round numbers between low and high, about `count` of them.
const ticks = (low, high, count) => {
  const rough = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(times => times * power).find(candidate => candidate >= rough);
  const list = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) list.push(Math.abs(value) < step * 1e-9 ? 0 : value);
  return list;
};

// series: [{ name, style (a class), points: [[x, y] …] }]; `zero` lets the axis begin at zero.
export const chart = (title, series, { zero = false } = {}) => {
  const points = series.flatMap(one => one.points), xs = points.map(point => point[0]), ys = points.map(point => point[1]);
  const low = { x: Math.min(...xs), y: zero ? 0 : Math.min(...ys) }, high = { x: Math.max(...xs), y: Math.max(...ys) };
  if (high.y === low.y) high.y = low.y + (Math.abs(low.y) * 0.1 || 1);
  if (high.x === low.x) high.x = low.x + 1;
  const x = value => LEFT + (value - low.x) / (high.x - low.x) * (WIDTH - LEFT - RIGHT);
  const y = value => HEIGHT - BOTTOM - (value - low.y) / (high.y - low.y) * (HEIGHT - TOP - BOTTOM);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title });
  for (const value of ticks(low.y, high.y, 4)) {
    drawing.append(svg("line", { class: "rule", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }), svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, shortNumber(value)));
  }
  for (const value of ticks(low.x, high.x, 5)) drawing.append(svg("text", { x: x(value), y: HEIGHT - 7, "text-anchor": "middle" }, shortNumber(value)));
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
    const box = drawing.getBoundingClientRect(), at = low.x + ((event.clientX - box.left) / box.width * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT) * (high.x - low.x);
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
