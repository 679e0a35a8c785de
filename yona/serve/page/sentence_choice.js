// Which sentence of the text a view is about: a list above the views that look at one sentence.
import { make } from "./dom.js";
import { onLanguage, t } from "./i18n.js";
import { lookAt, on, store } from "./store.js";

const draw = () => {
  for (const place of document.querySelectorAll(".sentence-choice")) {
    if (!store.sentences.length) {
      place.replaceChildren(make("p", { class: "empty" }, t("sentence.none"), " ", make("a", { href: "#translate" }, t("sentence.write"))));
      continue;
    }
    if (store.sentences.length === 1) {
      place.replaceChildren(make("p", { class: "sentence-shown", lang: store.model.source, dir: "auto" }, store.sentences[0].text));
      continue;
    }
    const select = make("select", { onchange: event => lookAt(Number(event.target.value)) },
      ...store.sentences.map((sentence, index) => make("option", { value: index }, sentence.text)));
    select.value = store.current;
    place.replaceChildren(make("label", {}, make("span", { class: "hidden" }, t("sentence.label")), select));
  }
};

export const startSentenceChoice = () => {
  on("sentences", draw);
  on("current", draw);
  onLanguage(draw);
};
