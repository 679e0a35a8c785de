// Something to begin with, by the language of the source.
export const examples = {
  de: ["Zwei Hunde spielen im Schnee.", "Ein Mann in einer roten Jacke fährt Fahrrad.", "Viertel nach sieben"],
  en: ["Two dogs are playing in the snow.", "A man in a red jacket is riding a bicycle.", "a quarter past seven"],
  es: ["Dos perros juegan en la nieve.", "las siete y cuarto"],
  fr: ["Deux chiens jouent dans la neige.", "Un homme en veste rouge fait du vélo.", "sept heures et quart"],
  it: ["Due cani giocano nella neve.", "le sette e un quarto"],
  zh: ["两只狗在雪地里玩耍。", "七点一刻"],
};
