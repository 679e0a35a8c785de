// What all views share: the models, the one in use, the sentences of the text and what is known
// about each (its entry), and which sentence is looked at. Listeners hear "model", "generators",
// "sentences", "entry" and "current"; "use" asks for another model.

export const store = {
  models: [],
  generators: [], // language models
  model: null,
  sentences: [], // { text, start, end, entry }
  current: 0, // index of the sentence that is looked at
};

const listeners = new Map();
export const on = (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]);
export const tell = (name, value) => (listeners.get(name) ?? []).forEach(listener => listener(value));

// Entries are kept by model and sentence, so that a text that changes in one place is translated
// there only.
const kept = new Map();
const MOST_KEPT = 2000;

export const entryOf = text => {
  const key = `${store.model.id}\n${text}`;
  const entry = kept.get(key) ?? { source: text, state: "new", text: "", chosen: 0, nBest: [] };
  kept.delete(key); // and put last again: the first is the one not used for longest
  kept.set(key, entry);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return entry;
};

export const currentSentence = () => store.sentences[store.current] ?? null;

export const lookAt = index => {
  if (index === store.current || !store.sentences[index]) return;
  store.current = index;
  tell("current");
};

// The model that translates the other way round, if one is served.
export const reverse = () => store.models.find(model => model.source === store.model.target && model.target === store.model.source);
