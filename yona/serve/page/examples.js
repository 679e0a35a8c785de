// Something to begin with, by the language of the source. A vocabulary of a few hundred pieces is that
// of a model of the built-in task (`yona demo`), which knows numbers, prices, times and dates alone.
const MOST_PIECES_BUILTIN = 1000;

const sentences = {
  de: ["Zwei Hunde spielen im Schnee.", "Ein Mann in einer roten Jacke fährt Fahrrad.", "Viertel nach sieben"],
  en: ["Two dogs are playing in the snow.", "A man in a red jacket is riding a bicycle.", "a quarter past seven"],
  es: ["Dos perros juegan en la nieve.", "las siete y cuarto"],
  fr: ["Deux chiens jouent dans la neige.", "Un homme en veste rouge fait du vélo.", "sept heures et quart"],
  it: ["Due cani giocano nella neve.", "le sette e un quarto"],
  zh: ["两只狗在雪地里玩耍。", "七点一刻"],
};
const builtin = {
  de: ["Viertel nach sieben", "zweiundvierzig", "drei Euro vierzig", "der einundzwanzigste März"],
  en: ["a quarter past seven", "forty-two", "three euros and forty cents", "the twenty-first of March"],
  es: ["las siete y cuarto", "cuarenta y dos", "tres euros con cuarenta céntimos", "el veintiuno de marzo"],
  fr: ["sept heures et quart", "quarante-deux", "trois euros et quarante centimes", "le vingt et un mars"],
  it: ["le sette e un quarto", "quarantadue", "tre euro e quaranta centesimi", "il ventuno marzo"],
  zh: ["七点一刻", "四十二", "三欧元四十欧分", "三月二十一日"],
};

export const examplesFor = ({ source, vocabulary }) => (vocabulary > 0 && vocabulary < MOST_PIECES_BUILTIN ? builtin : sentences)[source] ?? [];
