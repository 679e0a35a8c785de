// The page of `yona train --dashboard`: curves of the run as it goes, beside those of earlier runs,
// and what the model makes of a few sentences.
import { getJson } from "./api.js";
import { paintHeat } from "./attention_view.js";
import { chart, shortNumber } from "./chart.js";
import { $, make } from "./dom.js";
import { language, onLanguage, t } from "./i18n.js";
import { startSettings } from "./theme.js";

const MOST_POINTS = 600;
const STYLES = 6;
const FIRST_SHOWN = 3; // runs, where none of them is running

const runs = new Map(); // name → { name, current, bytes, seen, shown, next, events, style }

// At most MOST_POINTS of a curve, evenly.
const thinned = points => (points.length <= MOST_POINTS ? points : points.filter((_, index) => index % Math.ceil(points.length / MOST_POINTS) === 0 || index === points.length - 1));
// Of several validation sets, the first: the one that decides.
const curve = (run, event, field) => {
  const set = run.events.find(one => one.event === event)?.set;
  return thinned(run.events.filter(one => one.event === event && one.set === set && Number.isFinite(one[field])).map(one => [one.update, one[field]]));
};
const shown = () => [...runs.values()].filter(run => run.shown);

const seriesOf = (event, field, label = "") => shown().map(run => ({
  name: [shown().length > 1 ? run.name : "", label].filter(Boolean).join(" ") || run.name, style: `run-${run.style}${label === t("training.valid") ? " dashed" : ""}`, points: curve(run, event, field) })).filter(one => one.points.length);

const figureNames = () => [...new Set(shown().flatMap(run => run.events.filter(event => event.event === "valid").flatMap(event => ["bleu", "chrf", "ter"].filter(name => name in event))))];

const drawCharts = () => {
  const plots = [
    [t("training.loss"), [...seriesOf("update", "nll", t("training.train")), ...seriesOf("valid", "loss", t("training.valid"))]],
    ...figureNames().map(name => [{ bleu: "BLEU", chrf: "chrF", ter: "TER" }[name], seriesOf("valid", name)]),
    [t("training.learning_rate"), seriesOf("update", "learning_rate"), { zero: true }],
    [t("training.speed"), seriesOf("update", "tokens_per_second"), { zero: true }],
    [t("training.memory"), seriesOf("update", "memory_bytes"), { zero: true }],
    [t("training.gradient"), seriesOf("update", "gradient_norm"), { zero: true }],
  ];
  $("charts").replaceChildren(...plots.filter(([, series]) => series.length).map(([title, series, options]) => chart(title, series, options)));
};

const whole = number => number.toLocaleString(language());
const minutes = seconds => (seconds >= 90 ? t("training.minutes", { minutes: Math.round(seconds / 60) }) : t("training.seconds", { seconds: Math.round(seconds) }));
const drawNow = () => {
  const run = [...runs.values()].find(candidate => candidate.current);
  const last = run?.events.findLast(event => event.event === "update"), end = run?.events.findLast(event => event.event === "finished");
  $("progress").hidden = !last;
  if (!last) {
    $("now").textContent = run ? t("training.waiting") : "";
    return;
  }
  $("progress").max = last.updates || last.update;
  $("progress").value = end ? $("progress").max : last.update;
  $("now").textContent = end ? t("training.finished", { updates: whole(end.updates), time: minutes(end.seconds) })
    : t("training.now", { update: whole(last.update), updates: whole(last.updates), time: minutes(last.seconds_left ?? 0), speed: shortNumber(last.tokens_per_second) });
};

// Which run's samples are shown: of those in the charts the one that was chosen, or the first. The
// list is left as it is while the runs are the same, since it may be open.
let sampled = "";
const sampledRun = () => {
  const able = shown().filter(run => run.events.some(event => event.event === "samples")), names = able.map(run => run.name), list = $("sample-run");
  if (JSON.stringify([...list.options].map(option => option.value)) !== JSON.stringify(names)) list.replaceChildren(...names.map(name => make("option", { value: name }, name)));
  const run = able.find(candidate => candidate.name === sampled) ?? able[0];
  list.value = run?.name ?? "";
  return run;
};

let follow = true; // the newest samples are shown until someone goes back
const drawSamples = () => {
  const run = sampledRun(), all = run?.events.filter(event => event.event === "samples") ?? [];
  $("samples-box").hidden = !all.length;
  if (!all.length) return;
  $("samples").className = `samples run-${run.style}`;
  const slider = $("sample-update");
  slider.max = all.length - 1;
  if (follow) slider.value = all.length - 1;
  const now = all[Number(slider.value)];
  $("sample-value").textContent = whole(now.update);
  $("samples").replaceChildren(...now.samples.map(sample => make("div", { class: "sample" }, make("dl", {},
    ...[["source", "training.source"], ["reference", "training.reference"], ["translation", "training.translation"]].filter(([field]) => sample[field] !== undefined)
      .flatMap(([field, key]) => [make("dt", {}, t(key)), make("dd", { dir: "auto", class: field, title: sample[field] }, sample[field])])), ...sampleMap(sample))));
};
// What each piece of the translation looked at, where the sample tells: [target][source].
const sampleMap = ({ attention }) => {
  if (!attention?.length) return [];
  const canvas = make("canvas", { class: "sample-map", role: "img", "aria-label": t("training.attention") }), { length: columns } = attention[0];
  paintHeat(canvas, attention.length, columns, i => 255 * attention[Math.floor(i / columns)][i % columns]);
  return [canvas];
};

const drawRuns = () => {
  $("runs").replaceChildren(...[...runs.values()].map(run => {
    const box = make("input", { type: "checkbox", onchange: event => { run.shown = event.target.checked; } });
    box.checked = run.shown;
    return make("label", { class: `run run-${run.style}` }, box, make("span", { class: "swatch", "aria-hidden": "true" }), run.name, run.current ? make("span", { class: "soft" }, " ", t("training.running")) : "");
  }));
};
const draw = () => { drawNow(); drawCharts(); drawSamples(); };

// A run's events since the last time; are there any?
const readEvents = async run => {
  const seen = run.bytes, before = run.events.length;
  let answer;
  do {
    answer = await getJson(`/v1/runs/${encodeURIComponent(run.name)}/events?from=${run.next}`);
    if (answer.next < run.next) run.events = []; // begun again
    run.next = answer.next;
    run.events.push(...answer.events);
  } while (answer.more);
  run.seen = seen;
  return run.events.length !== before;
};

let listed = []; // the runs as the server last told
const look = async () => {
  const before = runs.size, idle = !listed.some(run => run.current); // nothing is running: the first few are shown
  for (const { name, current, bytes } of listed) {
    if (!runs.has(name)) runs.set(name, { name, current, seen: -1, shown: current || (idle && runs.size < FIRST_SHOWN), next: 0, events: [], style: runs.size % STYLES });
    Object.assign(runs.get(name), { current, bytes });
  }
  let news = runs.size !== before;
  for (const run of runs.values()) {
    if ((run.shown || run.current) && run.seen !== run.bytes && await readEvents(run)) news = true;
  }
  if (runs.size !== before) drawRuns();
  return news;
};

const notice = key => {
  $("notice").hidden = !key;
  $("notice").textContent = key ? t(key) : "";
};
// One look at a time; what comes meanwhile is looked at afterwards.
let looking = false, again = false;
const refresh = async () => {
  again = true;
  if (looking) return;
  looking = true;
  try {
    while (again) {
      again = false;
      if (await look()) draw();
    }
    notice("");
  } catch {
    notice("training.ended");
  } finally {
    looking = false;
  }
};

// The server tells when a run has come or grown; the browser connects again by itself.
const watch = () => {
  const source = new EventSource("/v1/watch");
  source.addEventListener("runs", event => {
    listed = JSON.parse(event.data).runs;
    refresh();
  });
  source.addEventListener("error", () => notice("training.ended"));
};

const start = async () => {
  await startSettings(() => drawSamples());
  document.title = `${t("training.title")} · yona`;
  onLanguage(() => { drawRuns(); draw(); });
  $("runs").addEventListener("change", () => {
    draw();
    refresh();
  });
  $("sample-run").addEventListener("change", event => {
    sampled = event.target.value;
    follow = true;
    drawSamples();
  });
  $("sample-update").addEventListener("input", event => {
    follow = event.target.value === event.target.max;
    drawSamples();
  });
  watch();
};
start();
