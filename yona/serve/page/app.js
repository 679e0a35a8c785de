// The page of `yona serve`: which view is shown, which model is used, and what to say when something
// goes wrong.
import { apiKey, getJson } from "./api.js";
import { startAttention } from "./attention.js";
import { $, make } from "./dom.js";
import { startDocuments } from "./documents.js";
import { startExplained } from "./explained.js";
import { languageName, onLanguage, t } from "./i18n.js";
import { startPlayground } from "./playground.js";
import { startSearch } from "./search.js";
import { startSentenceChoice } from "./sentence_choice.js";
import { on, reverse, store, tell } from "./store.js";
import { stored } from "./stored.js";
import { startSettings } from "./theme.js";
import { again, setText, startTranslate } from "./translate.js";
import { startWrongLanguage } from "./wrong_language.js";

// ---- notices ---------------------------------------------------------------------------------------
// An error, or how long the server wants us to wait; neither hides the notice.
const notice = (error, seconds) => {
  const box = $("notice");
  box.hidden = !error && !seconds;
  box.classList.toggle("waiting", seconds > 0);
  if (seconds > 0) box.replaceChildren(t("error.busy", { seconds }));
  else if (error?.status === 403) box.replaceChildren(keyForm());
  else if (error) box.replaceChildren(error.message, " ", make("button", { type: "button", onclick: retry }, t("error.again")));
};
// A server that wants to know who asks.
const keyForm = () => {
  const field = make("input", { type: "text", autocomplete: "off", spellcheck: "false", value: apiKey() ?? "" });
  const use = event => {
    event.preventDefault();
    apiKey(field.value.trim());
    retry();
  };
  return make("form", { onsubmit: use }, make("label", {}, t("error.key"), " ", field), make("button", { type: "submit" }, t("error.use_key")));
};
const retry = async () => {
  notice(null, 0);
  await loadModels();
  again();
};

// ---- views -----------------------------------------------------------------------------------------
// On a narrow screen the tabs scroll sideways: the one in use stays in sight, also when the screen is
// turned.
const showTab = () => {
  const link = document.querySelector(".top nav [aria-current]"), bar = link?.parentElement;
  if (bar) bar.scrollTo({ left: link.offsetLeft - bar.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2, behavior: "instant" });
};
// A playground where there are language models; the others but where there are no translation models.
const isOffered = view => (view === "generate" ? store.generators.length > 0 : store.models.length > 0 || store.generators.length === 0);
const showView = () => {
  const wanted = location.hash.slice(1).split("/")[0];
  if (wanted === "main") return; // the skip link
  const views = [...document.querySelectorAll("[data-view]")].filter(({ dataset }) => isOffered(dataset.view));
  const view = views.find(candidate => candidate.dataset.view === wanted) ?? views[0];
  for (const candidate of document.querySelectorAll("[data-view]")) candidate.hidden = candidate !== view;
  for (const link of document.querySelectorAll(".top nav a")) {
    const own = link.hash === "#" + view.dataset.view;
    link.hidden = !isOffered(link.hash.slice(1));
    if (own) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  showTab();
  document.title = `${t("nav." + view.dataset.view)} · yona`;
  if (store.view !== view.dataset.view) window.scrollTo({ top: 0, behavior: "instant" });
  store.view = view.dataset.view;
  tell("view", store.view);
};

// ---- models ----------------------------------------------------------------------------------------
const title = model => (model.source && model.target ? `${languageName(model.source)} → ${languageName(model.target)}` : model.id);
const fillModels = () => {
  const twice = name => store.models.filter(model => title(model) === name).length > 1;
  $("model").replaceChildren(...store.models.map(model => make("option", { value: model.id }, twice(title(model)) ? `${title(model)} (${model.id})` : title(model))));
  $("models").hidden = store.models.length < 2;
  if (store.model) $("model").value = store.model.id;
  $("swap").hidden = !store.model || !reverse();
};
const useModel = model => {
  store.model = model;
  stored("model", model.id);
  fillModels();
  tell("model");
};
const loadModels = async () => {
  try {
    const { models, data } = await getJson("/v1/models");
    store.models = models;
    store.generators = data.filter(model => model.task === "generation");
    tell("generators");
    showView();
  } catch (error) {
    return notice(error, 0);
  }
  const before = store.model?.id ?? stored("model");
  const model = store.models.find(candidate => candidate.id === before) ?? store.models[0];
  if (model) useModel(model);
};

const start = async () => {
  await startSettings(() => tell("theme"));
  onLanguage(() => { fillModels(); showView(); });
  $("model").addEventListener("change", event => useModel(store.models.find(model => model.id === event.target.value)));
  $("swap").addEventListener("click", () => {
    const text = $("output").textContent;
    useModel(reverse());
    setText(text);
  });
  startSentenceChoice();
  startTranslate(notice);
  startWrongLanguage();
  on("use", useModel);
  startAttention(notice);
  startSearch(notice);
  startDocuments(notice);
  startExplained(notice);
  startPlayground(notice);
  window.addEventListener("hashchange", showView);
  window.addEventListener("resize", showTab);
  window.addEventListener("online", retry);
  showView();
  await loadModels();
};
start();
