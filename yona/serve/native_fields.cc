#include "yona/serve/native_fields.h"

#include "yona/serve/openai_fields.h"

namespace yona::serve {

namespace {

using Type = FieldType;

constexpr double kMostBeams = 64;
constexpr double kMostLength = 4096;

Fields with(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

// Which model: every request says it in the same words.
Fields model_fields() {
  return {
      {"source", Type::text, "the text's language, a code like en; auto (the default) finds out"},
      {"target", Type::text, "the language to translate into"},
      {"model", Type::text, "the model's id, in the place of source and target"},
      {"api_key", Type::text, "where the server asks for one"}};
}

Field beam_field() {
  return {.name = "beam",
          .type = Type::integer,
          .description = "hypotheses kept at each step; 1 is greedy",
          .least = 1,
          .most = kMostBeams};
}

Fields sentence_answer() {
  return {{"source_tokens", Type::texts, "pieces of the source, </s> included"},
          {"tokens", Type::texts, "pieces of the translation, </s> included"},
          {"token_scores", Type::list, "their log-probabilities, with \"scores\""},
          {.name = "n_best",
           .type = Type::list,
           .description = "best first, with \"n_best\"",
           .fields = {{"text", Type::text, "the hypothesis"},
                      {"score", Type::number, "log-probability, length taken into account"},
                      {"tokens", Type::texts, "its pieces"},
                      {"token_scores", Type::list, "their log-probabilities"}}},
          {"alignment", Type::list, "[source token, target token], with \"alignments\""},
          {.name = "attention",
           .type = Type::object,
           .description = "with \"attention\": every weight, [layer][head][query][key]",
           .fields = {{"layers", Type::integer, "decoder layers"},
                      {"heads", Type::integer, "heads of a layer"},
                      {"source_tokens", Type::texts, "keys of encoder and cross"},
                      {"target_tokens", Type::texts, "queries of cross: what was written"},
                      {"decoder_tokens", Type::texts, "of decoder: what was read"},
                      {"colours", Type::texts, "to draw each head with"},
                      {"encoder", Type::list, "self-attention of the encoder"},
                      {"decoder", Type::list, "self-attention of the decoder"},
                      {"cross", Type::list, "from the translation to the source"}}}};
}

}  // namespace

Fields models_answer() {
  return {{.name = "object", .type = Type::text, .description = "list", .words = {"list"}},
          {.name = "data",
           .type = Type::list,
           .description = "all models, as OpenAI's clients read them",
           .fields = openai_model_fields()},
          {.name = "models",
           .type = Type::list,
           .description = "those that translate",
           .fields = {{"id", Type::text, "its name here"},
                      {"source", Type::text, "the language it reads"},
                      {"target", Type::text, "the language it writes"},
                      {"loaded", Type::boolean, "whether it is in memory already"},
                      {"layers", Type::integer, "decoder layers"},
                      {"heads", Type::integer, "heads of a layer"},
                      {"d_model", Type::integer, "channels"},
                      {"vocabulary", Type::integer, "pieces of the target"},
                      {"family", Type::text, "whose model it is: yona, marian, …"}}}};
}

Fields translate_fields() {
  return with(
      {{.name = "q",
        .type = Type::text_or_texts,
        .description = "what to translate: a text, or a list of texts",
        .required = true}},
      with(model_fields(),
           {beam_field(),
            {.name = "n_best",
             .type = Type::integer,
             .description = "hypotheses to give, at most as many as beams",
             .least = 1,
             .most = kMostBeams},
            {.name = "length_penalty",
             .type = Type::number,
             .description = "above 0 favours longer translations",
             .least = -10,
             .most = 10},
            {.name = "max_length",
             .type = Type::integer,
             .description = "tokens of a sentence's translation at most",
             .least = 1,
             .most = kMostLength},
            {"prefix", Type::text, "the translation begins with this text; for one text"},
            {.name = "split",
             .type = Type::text,
             .description = "what is translated as one: sentences (the default), lines, or the "
                            "whole text (none)",
             .words = {"sentences", "lines", "none"}},
            {"scores", Type::boolean, "give scores"},
            {"alignments", Type::boolean, "give alignments of tokens"},
            {"attention", Type::boolean, "give every attention weight"},
            {"stream", Type::boolean, "answer with server-sent events: token, done, error"},
            {.name = "deadline",
             .type = Type::number,
             .description = "seconds after which the answer is of no use; the server's at most",
             .least = 0.001,
             .most = 3600},
            {.name = "glossary",
             .type = Type::list,
             .description = "terms whose translation is given",
             .fields = {{"keep", Type::text, "stays as it is"},
                        {"source", Type::text, "as it stands in the text"},
                        {"target", Type::text, "as it must stand in the translation"}}}}));
}

Fields translate_answer() {
  const Fields sentence = sentence_answer();
  return {{.name = "translations",
           .type = Type::list,
           .description = "one for each text; of several sentences, with a list of segments",
           .fields = with({{"text", Type::text, "the translation"},
                           {"model", Type::text, "its model's id, where there are several"},
                           {"score", Type::number, "with \"scores\""},
                           {.name = "segments",
                            .type = Type::list,
                            .description = "the sentences of a text that has several",
                            .fields = with({{"source", Type::text, "the sentence"},
                                            {"text", Type::text, "its translation"}},
                                           sentence)}},
                          sentence)},
          {"model", Type::text, "the model's id, where it is one for all texts"},
          {"milliseconds", Type::number, "from request to answer"}};
}

Fields beam_fields() {
  return with({{.name = "q", .type = Type::text, .description = "one sentence", .required = true}},
              with(model_fields(), {beam_field()}));
}

Fields beam_answer() {
  return {{"tokens", Type::texts, "pieces of the source"},
          {"steps", Type::list, "lists of {id, parent, token, score, kept, finished}"},
          {"best", Type::integer, "the id at the end of the best hypothesis"},
          {"text", Type::text, "the best hypothesis"}};
}

Fields explain_fields() {
  constexpr double kMostIndex = 1 << 20;
  return with(
      {{"q", Type::text, "one sentence, for a translation model"},
       {"prompt", Type::text, "in its place, for a language model"},
       {"target_prefix", Type::texts, "pieces that have been written already; of a translation"},
       {.name = "stack",
        .type = Type::text,
        .description = "which attention; a language model has the decoder's alone",
        .words = {"encoder", "decoder", "cross"}},
       {.name = "layer",
        .type = Type::integer,
        .description = "from 0",
        .least = 0,
        .most = kMostIndex},
       {.name = "head",
        .type = Type::integer,
        .description = "from 0",
        .least = 0,
        .most = kMostIndex},
       {.name = "query",
        .type = Type::integer,
        .description = "the token that looks, from 0; without it the last of a prompt, "
                       "and the first of a sentence",
        .least = 0,
        .most = kMostIndex}},
      model_fields());
}

}  // namespace yona::serve
