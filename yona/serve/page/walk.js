// One explanation to walk through, step by step: the figure, the text, the equations and the picture
// of a step, forward and back. explained.js walks through a translation, prompt_explained.js through
// a prompt.
import { patiently, postJson } from "./api.js";
import { make } from "./dom.js";
import { equations } from "./equations.js";
import { language, onLanguage, t } from "./i18n.js";

const KEPT = 60; // answers of the server

export const chooser = (name, values, current, act) => {
  const select = make("select", { onchange: event => act(event.target.value) }, ...values.map(([value, text]) => make("option", { value }, text)));
  select.value = current;
  return make("label", {}, make("span", {}, name), select);
};
// Layers or heads: "1", "2" …
export const numbered = n => Array.from({ length: n }, (_, index) => [index, t("explained.number", { number: index + 1 })]);
export const tokenChips = (tokens, current, act) => make("div", { class: "chips", role: "group", "aria-label": t("explained.token") }, ...tokens.map((token, query) =>
  make("button", { type: "button", dir: "auto", "aria-pressed": query === current ? "true" : "false", onclick: () => act(query) }, token)));

// What a walk is told of its model:
//   asked()                  the body of /v1/explain; null: nothing is asked for
//   taken(numbers)           the answer as it is shown
//   steps(numbers)           their names
//   words(name, model)       the keys of a step's title and text
//   values(numbers)          what stands in these texts
//   figure(numbers, name)    a drawing
//   pictures[name](numbers)  elements
//   controls(numbers)        elements, for steps of one layer and head
//   controlled(name)         is the step one of these?
//   entering(name)           true: it asks for other numbers itself
//   isOpen()                 do arrow keys belong to it?
export const createWalk = (box, notice, the) => {
  const known = new Map();
  let numbers = null, step = 0, parts = {}, dotted = "";
  const walk = { get numbers() { return numbers; }, get name() { return the.steps(numbers)[step]; } };

  walk.load = async () => {
    const body = the.asked(), key = JSON.stringify(body);
    try {
      if (!known.has(key)) {
        known.set(key, await patiently(() => postJson("/v1/explain", body), null, seconds => notice(null, seconds)));
        if (known.size > KEPT) known.delete(known.keys().next().value);
      }
    } catch (error) {
      the.failed?.();
      return notice(error, 0);
    }
    if (JSON.stringify(the.asked()) !== key) return; // something else was asked for meanwhile
    numbers = the.taken(known.get(key));
    walk.draw();
    box.hidden = false;
  };
  walk.forget = () => { numbers = null; };
  walk.go = to => {
    const names = the.steps(numbers);
    step = Math.max(0, Math.min(names.length - 1, to));
    if (!the.entering?.(names[step])) walk.draw();
  };
  walk.show = name => { step = the.steps(numbers).indexOf(name); };

  const drawDots = names => {
    if (dotted === names.join()) return;
    dotted = names.join();
    parts.dots = names.map((name, index) => {
      const title = t(the.words(name, numbers.model)[0]);
      return make("button", { type: "button", class: "dot", "aria-label": title, title, onclick: () => walk.go(index) });
    });
    parts.dotBox.replaceChildren(...parts.dots);
  };
  const drawControls = name => {
    const { controls } = parts, all = () => [...controls.querySelectorAll("select, button")];
    const focused = controls.contains(document.activeElement) ? all().indexOf(document.activeElement) : -1;
    controls.replaceChildren(...the.controls(numbers));
    controls.hidden = !the.controlled(name);
    if (focused >= 0) all()[focused]?.focus();
  };
  walk.draw = () => {
    if (!numbers || !parts.title) return;
    const names = the.steps(numbers), { model } = numbers;
    step = Math.min(step, names.length - 1);
    const name = names[step], [title, text] = the.words(name, model);
    const sizes = Object.fromEntries(Object.entries(model).map(([key, value]) => [key, typeof value === "number" ? value.toLocaleString(language()) : value]));
    drawDots(names);
    parts.number.textContent = t("explained.of", { step: step + 1, steps: names.length });
    parts.title.textContent = t(title);
    parts.text.textContent = t(text, { ...sizes, ...the.values(numbers) });
    parts.equations.replaceChildren(...equations[name](model));
    parts.figure.replaceChildren(the.figure(numbers, name));
    parts.picture.replaceChildren(...the.pictures[name](numbers));
    parts.back.disabled = step === 0;
    parts.next.disabled = step === names.length - 1;
    parts.dots.forEach((dot, index) => dot.toggleAttribute("aria-current", index === step));
    drawControls(name);
  };

  const build = () => {
    parts = {
      figure: make("div", { class: "figure-box" }),
      controls: make("div", { class: "explained-controls" }),
      number: make("p", { class: "soft step-number" }),
      title: make("h2", {}),
      text: make("p", { class: "step-text" }),
      equations: make("div", { class: "equations" }),
      picture: make("div", { class: "picture" }),
      dotBox: make("div", { class: "dots" }),
      back: make("button", { type: "button", onclick: () => walk.go(step - 1) }, "←"),
      next: make("button", { type: "button", class: "main", onclick: () => walk.go(step + 1) }),
    };
    parts.back.setAttribute("aria-label", t("explained.back"));
    parts.next.append(t("explained.next_step"), " →");
    box.replaceChildren(
      make("div", { class: "walk" }, parts.figure,
        make("article", {}, parts.number, make("div", { "aria-live": "polite" }, parts.title, parts.text), parts.equations, parts.controls, parts.picture)),
      make("div", { class: "steps", role: "group", "aria-label": t("explained.steps") }, parts.back, parts.dotBox, parts.next));
    dotted = "";
    walk.draw();
  };
  build();
  onLanguage(build);
  document.addEventListener("keydown", event => {
    if (!the.isOpen() || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input, textarea, .strips, .strips *")) return;
    if (event.key === "ArrowRight") walk.go(step + 1);
    if (event.key === "ArrowLeft") walk.go(step - 1);
  });
  return walk;
};
