// Texts, sentences, words and the model's pieces.

const segmenters = new Map();
const segmenter = (language, granularity) => {
  const key = `${language} ${granularity}`;
  if (!segmenters.has(key)) {
    let made;
    try {
      made = new Intl.Segmenter(language || "en", { granularity });
    } catch {
      made = new Intl.Segmenter("en", { granularity });
    }
    segmenters.set(key, made);
  }
  return segmenters.get(key);
};

// The sentences of a text: [{ text, start, end }], without the blanks around them. Line breaks end
// a sentence; together with what lies between, they are the text.
export const sentencesOf = (text, language) => {
  const sentences = [];
  let start = 0;
  for (const line of text.split("\n")) {
    for (const { segment, index } of segmenter(language, "sentence").segment(line)) {
      const trimmed = segment.trim();
      if (!trimmed) continue;
      const begin = start + index + segment.indexOf(trimmed);
      sentences.push({ text: trimmed, start: begin, end: begin + trimmed.length });
    }
    start += line.length + 1;
  }
  return sentences;
};

// Words and punctuation marks with their places; blanks are left out.
export const wordsOf = (text, language) => {
  const words = [];
  for (const { segment, index } of segmenter(language, "word").segment(text)) {
    if (segment.trim()) words.push({ text: segment, start: index, end: index + segment.length });
  }
  return words;
};

// A piece as people read it.
export const label = piece => {
  if (piece === "<pad>") return "<start>";
  const byte = /^<0x([2-7][0-9A-F])>$/.exec(piece);
  if (byte) return String.fromCharCode(parseInt(byte[1], 16));
  return piece.length > 1 && piece.startsWith("▁") ? piece.slice(1) : piece;
};

// A language model's token with blanks and line feeds as they can be seen.
export const visible = text => (text === "" ? "∅" : text.replaceAll("\n", "↵").replaceAll("\t", "⇥").replace(/^ | $/g, "␣"));

// The text that pieces spell, those of single bytes included.
export const textOfPieces = pieces => {
  const bytes = [], coder = new TextEncoder();
  for (const piece of pieces) {
    const byte = /^<0x([0-9A-F]{2})>$/.exec(piece);
    if (byte) bytes.push(parseInt(byte[1], 16));
    else bytes.push(...coder.encode(piece.replaceAll("▁", " ")));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes)).trim();
};

// For each piece the index of its word, -1 for </s> and the like. Pieces are searched in the text
// one after another; one that is not found (bytes, normalised letters) belongs to the word where
// the search stands.
export const wordsOfPieces = (pieces, text, words) => {
  const wordAt = place => {
    const index = words.findIndex(word => place < word.end);
    return index < 0 ? words.length - 1 : index;
  };
  let place = 0;
  return pieces.map(piece => {
    if (/^<\/?(?!unk)[a-z_]+>$|^>>.*<<$|^__.*__$/.test(piece) && !text.includes(piece)) return -1;
    const plain = piece.replaceAll("▁", " ").trim();
    if (!plain) return -1;
    const found = text.indexOf(plain, place);
    if (found < 0 || found - place > plain.length + 12) return wordAt(skipBlanks(text, place));
    place = found + plain.length;
    return wordAt(found);
  });
};
const skipBlanks = (text, place) => {
  while (place < text.length && !text[place].trim()) ++place;
  return place;
};

// Is attention spread evenly: does its strongest weight stay under twice the mean of the others?
export const isEven = weights => {
  if (weights.length < 2) return false;
  const most = Math.max(...weights), sum = weights.reduce((total, weight) => total + weight, 0);
  return most < 2 * (sum - most) / (weights.length - 1);
};

// Attention between words from that between pieces, as yona aligns (summed over the pieces of a
// source word, averaged over those of a target word): [target word][source word].
export const wordAttention = (weights, targetWords, sourceWords, targets, sources) => {
  const sums = Array.from({ length: targets }, () => new Float64Array(sources));
  const counts = new Array(targets).fill(0);
  weights.forEach((row, piece) => {
    const target = targetWords[piece];
    if (target === undefined || target < 0) return;
    ++counts[target];
    row.forEach((weight, key) => { if (sourceWords[key] >= 0) sums[target][sourceWords[key]] += weight; });
  });
  return sums.map((row, target) => row.map(weight => weight / Math.max(1, counts[target])));
};
