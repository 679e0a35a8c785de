// Whole documents: a text file is cut into sentences, a few of them go at a time, paragraphs stay
// where they were.
import { patiently, postJson } from "./api.js";
import { $, make } from "./dom.js";
import { language, onLanguage, t } from "./i18n.js";
import { store } from "./store.js";
import { sentencesOf } from "./text.js";

const AT_ONCE = 16; // sentences of a request
const MOST_BYTES = 5_000_000;

let job = null; // { name, text, sentences, done, controller }

// The text with each translated sentence in the place of its source.
const result = ({ text, sentences }) => {
  let out = "", place = 0;
  for (const { start, end, translation } of sentences) {
    out += text.slice(place, start) + (translation ?? "");
    place = end;
  }
  return out + text.slice(place);
};

const drawProgress = () => {
  if (!job) return;
  const { done, sentences: { length: all } } = job;
  $("progress").max = Math.max(1, all);
  $("progress").value = done;
  const values = { done: done.toLocaleString(language()), all: all.toLocaleString(language()) };
  $("progress-text").textContent = done < all ? t("documents.working", values) : t("documents.done", values);
  $("stop").hidden = done >= all || job.controller.signal.aborted;
  $("save").hidden = done === 0;
};

// Paragraphs side by side; those of a long document appear as they come.
const drawPages = () => {
  const rows = [];
  let place = 0;
  for (const paragraph of job.text.split("\n")) {
    const end = place + paragraph.length, own = job.sentences.filter(sentence => sentence.start >= place && sentence.end <= end);
    if (own.length) rows.push({ paragraph, own, element: make("p", { lang: store.model.target, dir: "auto" }) });
    place = end + 1;
  }
  job.rows = rows;
  $("pages").replaceChildren(...rows.flatMap(({ paragraph, element }) => [make("p", { lang: store.model.source, dir: "auto", class: "soft" }, paragraph), element]));
};
const drawDone = part => {
  const touched = new Set(part);
  for (const row of job.rows) {
    if (row.own.some(sentence => touched.has(sentence))) row.element.textContent = row.own.map(sentence => sentence.translation ?? "…").join(" ");
  }
};

const translate = async notice => {
  const mine = job, { signal } = job.controller;
  for (let from = 0; from < mine.sentences.length; from += AT_ONCE) {
    const part = mine.sentences.slice(from, from + AT_ONCE);
    try {
      const body = { q: part.map(sentence => sentence.text), model: store.model.id };
      const answer = await patiently(() => postJson("/v1/translate", body, signal), signal, seconds => notice(null, seconds));
      answer.translations.forEach((translation, index) => { part[index].translation = translation.text; });
    } catch (error) {
      if (error.name !== "AbortError") notice(error, 0);
      mine.controller.abort();
      return drawProgress();
    }
    if (job !== mine) return;
    mine.done += part.length;
    drawDone(part);
    drawProgress();
  }
};

const open = async (file, notice) => {
  if (!file || !store.model) return;
  if (file.size > MOST_BYTES) return notice(new Error(t("documents.too_large", { megabytes: MOST_BYTES / 1e6 })), 0);
  const bytes = await file.arrayBuffer();
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return notice(new Error(t("documents.no_text", { name: file.name })), 0);
  }
  notice(null, 0);
  job?.controller.abort();
  job = { name: file.name, text, sentences: sentencesOf(text, store.model.source), done: 0, controller: new AbortController() };
  $("work").hidden = false;
  $("file-name").textContent = file.name;
  drawPages();
  drawProgress();
  await translate(notice);
};

const save = () => {
  const name = job.name.replace(/(\.[^.]*)?$/, ending => `.${store.model.target || "translation"}${ending || ".txt"}`);
  const link = make("a", { href: URL.createObjectURL(new Blob([result(job)], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

export const startDocuments = notice => {
  const drop = $("drop");
  $("file").addEventListener("change", event => { open(event.target.files[0], notice); event.target.value = ""; });
  drop.addEventListener("dragover", event => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", event => {
    event.preventDefault();
    drop.classList.remove("over");
    open(event.dataTransfer.files[0], notice);
  });
  $("stop").addEventListener("click", () => { job?.controller.abort(); drawProgress(); });
  $("save").addEventListener("click", save);
  onLanguage(drawProgress);
};
