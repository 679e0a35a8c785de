// A word to those who write in another language than the model's: it would translate all the same,
// and badly. The server's /detect says which language it is; where a model for that one is served,
// a button switches to it.
import { postJson } from "./api.js";
import { $, make } from "./dom.js";
import { languageName, onLanguage, t } from "./i18n.js";
import { on, store, tell } from "./store.js";

// Less than this says too little: three German words may pass for English, a number for Dutch. Of a
// language that no model here knows, more is asked.
const LEAST_WORDS = 4, LEAST_LETTERS = 20, LEAST_LETTERS_UNKNOWN = 30;
const LEAST_CHARACTERS = 8; // in scripts without blanks
const SURE = 60; // per cent, as /detect has it
const MOST_CHARACTERS = 1000; // of a long text the beginning is enough

// "zh-Hans" and "pt_BR" are "zh" and "pt".
const base = code => (code ?? "").toLowerCase().split(/[-_]/)[0];

let text = "", found = null; // the language of the text, where it is another than the model's

// A model from that language, into the target of the one in use if there is one.
const modelFrom = language => {
  const able = store.models.filter(model => base(model.source) === language);
  return able.find(model => base(model.target) === base(store.model.target)) ?? able[0];
};

// The letters that a text must have before its language is told.
const lettersFor = language => (store.models.some(model => [model.source, model.target].map(base).includes(language)) ? LEAST_LETTERS : LEAST_LETTERS_UNKNOWN);
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

const draw = () => {
  const box = $("wrong-language"), other = found && modelFrom(found);
  box.hidden = !found;
  if (!found) return box.replaceChildren();
  const said = t("translate.wrong_language", { text: languageName(found), source: languageName(store.model.source) });
  box.replaceChildren(said, ...(other ? [" ", make("button", { type: "button", class: "quiet", onclick: () => tell("use", other) }, t("translate.switch", { source: languageName(found) }))] : []));
};

const look = async () => {
  const now = $("source").value.slice(0, MOST_CHARACTERS), { model } = store;
  if (!model?.source) return;
  const key = `${model.source} ${now}`;
  if (key === text) return;
  text = key;
  found = null;
  const letters = now.match(/\p{L}/gu)?.length ?? 0, words = now.trim().split(/\s+/).length, long = (now.match(dense)?.length ?? 0) >= LEAST_CHARACTERS;
  if (long || (letters >= LEAST_LETTERS && words >= LEAST_WORDS)) {
    try {
      const [best] = await postJson("/detect", { q: now }), language = base(best?.language);
      if (key !== text) return;
      if (best?.confidence >= SURE && language !== base(model.source) && (long || letters >= lettersFor(language))) found = language;
    } catch { /* only a hint */ }
  }
  draw();
};

export const startWrongLanguage = () => {
  on("sentences", look);
  onLanguage(draw);
};
