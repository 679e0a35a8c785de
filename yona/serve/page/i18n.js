// The words of the page: a JSON file for each language (words-en.json …), keys alike in all of them.
// Elements say what they hold by data-t (text), data-t-label, data-t-title and data-t-placeholder.

import { stored } from "./stored.js";

export const languages = { en: "English", de: "Deutsch", "zh-Hans": "简体中文", "zh-Hant": "繁體中文" };

let words = {};
let current = "en";
const listeners = [];

// t("count", { count: 3 }): "{count}" is replaced.
export const t = (key, values = {}) =>
  (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

export const language = () => current;
export const onLanguage = listener => listeners.push(listener);

// The language that was chosen before, or the first of the browser's that there is.
export const preferred = () => {
  const chosen = stored("language");
  if (chosen in languages) return chosen;
  for (const tag of navigator.languages ?? []) {
    if (/^zh\b/i.test(tag)) return /hant|tw|hk|mo/i.test(tag) ? "zh-Hant" : "zh-Hans";
    const code = tag.slice(0, 2).toLowerCase();
    if (code in languages) return code;
  }
  return "en";
};

export const setLanguage = async code => {
  const answer = await fetch(`/page/words-${code.toLowerCase()}.json`);
  if (!answer.ok) throw new Error(`words-${code}.json: ${answer.status}`);
  words = await answer.json();
  current = code;
  document.documentElement.lang = code;
  translateIn(document);
  for (const listener of listeners) listener();
};

// Where the model runs, as far as a browser can tell.
const machine = () => (/^(localhost|127\.|\[::1\])/.test(location.hostname) ? t("foot.here") : location.hostname);

const translateIn = root => {
  const each = (name, act) => root.querySelectorAll(`[data-${name}]`).forEach(element => act(element, t(element.getAttribute("data-" + name), { machine: machine() })));
  each("t", (element, text) => { element.textContent = text; });
  each("t-label", (element, text) => element.setAttribute("aria-label", text));
  each("t-title", (element, text) => element.setAttribute("title", text));
  each("t-placeholder", (element, text) => element.setAttribute("placeholder", text));
};

// "de" → "German", "Deutsch", "德语" …
export const languageName = code => {
  try {
    return new Intl.DisplayNames([current], { type: "language" }).of(code);
  } catch {
    return code;
  }
};
