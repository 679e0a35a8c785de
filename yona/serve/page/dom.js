// Small helpers around the document.

export const $ = id => document.getElementById(id);

// make("li", { class: "word", onclick: act }, "text", element …)
export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

const namespaces = { svg: "http://www.w3.org/2000/svg", math: "http://www.w3.org/1998/Math/MathML" };
const maker = namespace => (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(namespace, tag), attributes, children);
export const svg = maker(namespaces.svg);
export const math = maker(namespaces.math);

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};

// Calls `act` once `delay` ms have passed without another call.
export const debounced = (delay, act) => {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(act, delay, ...values);
  };
};
