// Light, dark, or as the system has it; and the list of languages. What every page of yona has at
// its upper right.
import { $, make } from "./dom.js";
import { language, languages, onLanguage, preferred, setLanguage, t } from "./i18n.js";
import { stored } from "./stored.js";

const themes = ["auto", "light", "dark"];
const signs = { auto: "◐", light: "☀", dark: "☾" };
const theme = () => (themes.includes(stored("theme")) ? stored("theme") : "auto");
const useTheme = chosen => {
  stored("theme", chosen);
  document.documentElement.dataset.theme = chosen;
  const button = $("theme"), text = t("settings.theme", { theme: t("theme." + chosen) });
  button.textContent = signs[chosen];
  button.setAttribute("aria-label", text);
  button.title = text;
};

// Loads the words and fills the two controls; changed() is called after a change of colours.
export const startSettings = async (changed = () => {}) => {
  await setLanguage(preferred());
  $("language").replaceChildren(...Object.entries(languages).map(([code, name]) => make("option", { value: code, lang: code }, name)));
  $("language").value = language();
  $("language").addEventListener("change", async event => {
    stored("language", event.target.value);
    await setLanguage(event.target.value);
  });
  onLanguage(() => useTheme(theme()));
  useTheme(theme());
  $("theme").addEventListener("click", () => {
    useTheme(themes[(themes.indexOf(theme()) + 1) % themes.length]);
    changed();
  });
};
