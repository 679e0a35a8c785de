// Numbers to look at: vectors as strips of coloured cells, and bars.
import { make } from "./dom.js";

export const short = value => (Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)).replace("-", "−");

const cell = (value, most) => {
  const element = make("td", { title: value.toFixed(5), class: value < 0 ? "minus" : "plus" }, make("span", {}, short(value)));
  element.style.setProperty("--share", Math.min(1, Math.abs(value) / most).toFixed(3));
  return element;
};

// Rows of { label, values, sign, current }: one vector each, cells coloured on one scale.
export const strips = (rows, caption) => {
  const most = Math.max(1e-6, ...rows.flatMap(row => row.values.map(Math.abs)));
  return make("div", { class: "strips", tabindex: 0, role: "group", "aria-label": caption },
    make("table", {}, make("caption", {}, caption),
      make("tbody", {}, ...rows.map(row => make("tr", row.current ? { class: "current" } : {},
        make("th", { scope: "row", dir: "auto" }, row.sign ? make("span", { class: "sign" }, row.sign) : "", row.label), ...row.values.map(value => cell(value, most)))))));
};

// Rows of { label, value, text, state, act, title }: bars from a common zero; negative ones to the
// left, none for what is not finite. With `act` the label is a button.
export const bars = (rows, caption) => {
  const finite = rows.map(row => row.value).filter(Number.isFinite);
  const low = Math.min(0, ...finite), high = Math.max(1e-6, ...finite), range = high - low;
  return make("ol", { class: "bars", "aria-label": caption }, ...rows.map(row => {
    const bar = make("span", { class: row.value < 0 ? "bar minus" : "bar" });
    const from = Number.isFinite(row.value) ? (Math.min(0, row.value) - low) / range : 0;
    bar.style.setProperty("--from", from.toFixed(4));
    bar.style.setProperty("--share", (Number.isFinite(row.value) ? Math.abs(row.value) / range : 0).toFixed(4));
    const name = row.act ? make("button", { type: "button", class: "label", dir: "auto", onclick: row.act, title: row.title ?? "" }, row.label) : make("span", { class: "label", dir: "auto" }, row.label);
    return make("li", { class: row.state ?? "" }, name, make("span", { class: "track" }, bar), make("span", { class: "value" }, row.text));
  }));
};
