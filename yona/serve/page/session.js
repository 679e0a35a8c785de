// Talks to the server for all views: translations as they stream, attention when someone looks.
import { patiently, postJson, postStream } from "./api.js";
import { store, tell } from "./store.js";
import { wordAttention, wordsOf, wordsOfPieces } from "./text.js";

const MOST_AT_ONCE = 2;
const ALTERNATIVES = 4;
const running = new Map(); // entry → AbortController

// Translates what is not translated yet and stops what is not needed any more. `notice(error, seconds)`
// shows what goes wrong; seconds > 0 while the server is busy.
export const translateAll = notice => {
  const wanted = new Set(store.sentences.map(sentence => sentence.entry));
  for (const [entry, controller] of running) if (!wanted.has(entry)) controller.abort();
  // The sentence that is being written comes first.
  const order = [store.sentences[store.current]?.entry, ...wanted].filter(Boolean);
  for (const entry of order) {
    if (running.size >= MOST_AT_ONCE) return;
    if (entry.state === "new" && !running.has(entry)) start(entry, notice);
  }
};

const start = async (entry, notice) => {
  const controller = new AbortController(), model = store.model;
  running.set(entry, controller);
  entry.state = "busy";
  const body = { q: entry.source, model: model.id, split: "none", n_best: ALTERNATIVES, beam: ALTERNATIVES, scores: true, stream: true };
  try {
    const answer = await patiently(() => postStream("/v1/translate", body, controller.signal, (name, data) => {
      if (name !== "token") return;
      entry.text = data.text;
      tell("entry", entry);
    }), controller.signal, seconds => notice(null, seconds));
    take(entry, answer);
    notice(null, 0);
  } catch (error) {
    entry.state = error.name === "AbortError" ? "new" : "failed";
    if (entry.state === "failed") notice(error, 0);
  }
  running.delete(entry);
  tell("entry", entry);
  translateAll(notice);
};

const take = (entry, answer) => {
  const [translation] = answer.translations;
  entry.state = "done";
  entry.milliseconds = answer.milliseconds;
  entry.nBest = translation.n_best?.length ? translation.n_best : [{ text: translation.text, score: translation.score, tokens: translation.tokens }];
  choose(entry, 0);
};

// Another of the n best becomes the translation.
export const choose = (entry, index) => {
  entry.chosen = index;
  entry.text = entry.nBest[index].text;
  entry.tokens = entry.nBest[index].tokens;
  entry.scores = entry.nBest[index].token_scores;
  entry.attention = entry.matrix = null;
};

// What went wrong may go right now.
export const forgetFailures = () => {
  for (const { entry } of store.sentences) if (entry.state === "failed") entry.state = "new";
};

// The attention of all layers and heads for the translation that is shown, asked for once; null for
// a sentence that was too long to be translated in one piece.
export const attentionOf = async entry => {
  if (entry.attention) return entry.attention;
  const chosen = entry.chosen;
  const body = { q: entry.source, model: store.model.id, split: "none", beam: ALTERNATIVES, attention: true };
  if (chosen > 0) body.prefix = entry.text;
  entry.asking ??= patiently(() => postJson("/v1/translate", body)).finally(() => { entry.asking = null; });
  const [translation] = (await entry.asking).translations;
  if (entry.chosen !== chosen) return attentionOf(entry);
  entry.attention = translation.attention ?? null;
  return entry.attention;
};

// Between words: { source, target (words), weights [target][source] }, the mean of the last layer's
// heads of the cross attention. Null where there is no attention.
export const wordMatrix = async entry => {
  if (entry.matrix) return entry.matrix;
  const attention = await attentionOf(entry);
  if (!attention) return null;
  const { cross, heads, source_tokens: sourceTokens, target_tokens: targetTokens } = attention;
  const layer = cross[cross.length - 1];
  const mean = layer[0].map((row, query) => row.map((_, key) => layer.reduce((sum, head) => sum + head[query][key], 0) / heads));
  const source = wordsOf(entry.source, store.model.source), target = wordsOf(entry.text, store.model.target);
  entry.matrix = {
    source,
    target,
    weights: wordAttention(mean, wordsOfPieces(targetTokens, entry.text, target), wordsOfPieces(sourceTokens, entry.source, source), target.length, source.length),
  };
  return entry.matrix;
};
