#include "yona/serve/openai_fields.h"

namespace yona::serve {

namespace {

using Type = FieldType;

Fields joined(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

Field number(const char* name, const char* description, double least, double most) {
  return {
      .name = name, .type = Type::number, .description = description, .least = least, .most = most};
}

Field integer(const char* name, const char* description, double least, double most) {
  Field field = number(name, description, least, most);
  field.type = Type::integer;
  return field;
}

constexpr double kMostTokens = 1 << 20;
constexpr double kMostAnswers = 32;

// What completions and chats have in common.
Fields common_fields() {
  return {
      {"model", Type::text, "a model's id; not needed where there is one"},
      integer("max_tokens", "new tokens at most", 1, kMostTokens),
      number("temperature", "0: always the best token", 0, 2),
      number("top_p", "draw from the fewest best tokens with this much probability", 0, 1),
      integer("n", "answers to each prompt", 1, kMostAnswers),
      {"stop", Type::text_or_texts, "strings that end an answer"},
      {"stream", Type::boolean, "server-sent events as the answer grows"},
      {.name = "stream_options",
       .type = Type::object,
       .description = "include_usage: a last event with the usage",
       .fields = {{"include_usage", Type::boolean, "a last event with the usage"}}},
      number("presence_penalty", "taken off tokens that have occurred", -2, 2),
      number("frequency_penalty", "taken off for each time that they occurred", -2, 2),
      integer("seed", "the same seed, the same draws", -0x1p63, 0x1p63),
      {"response_format", Type::object,
       "{\"type\": \"json_object\"}, or \"json_schema\" with a schema"},
      integer("top_k", "of yona: draw among the N most probable tokens; 0: all", 0, kMostTokens),
      number("min_p", "of yona: from those with this share of the best one's probability", 0, 1),
      number("repetition_penalty", "of yona: divides the logits of tokens that occurred", 0.01,
             100),
      {"regex", Type::text, "of yona: the answer matches this regular expression"},
      {"user", Type::text, "ignored"},
      {"metadata", Type::object, "ignored"},
      {"store", Type::boolean, "ignored"},
      {"service_tier", Type::text, "ignored"},
      {"api_key", Type::text, "where the server asks for one and no header has it"}};
}

Fields usage_fields() {
  return {{"prompt_tokens", Type::integer, "tokens of the prompts"},
          {"completion_tokens", Type::integer, "tokens of the answers"},
          {"total_tokens", Type::integer, "both"}};
}

Fields answer_fields(const char* object, Fields choice) {
  return {{"id", Type::text, "of this answer"},
          {.name = "object", .type = Type::text, .description = "what this is", .words = {object}},
          {"created", Type::integer, "seconds since 1970"},
          {"model", Type::text, "its id"},
          {.name = "choices",
           .type = Type::list,
           .description = "the answers",
           .fields = std::move(choice)},
          {.name = "usage",
           .type = Type::object,
           .description = "what was counted",
           .fields = usage_fields()}};
}

Field finish_field() {
  return {.name = "finish_reason",
          .type = Type::text,
          .description = "stop: the text is complete; length: max_tokens were reached",
          .words = {"stop", "length"}};
}

}  // namespace

Fields completion_fields() {
  return joined({{.name = "prompt",
                  .type = Type::text_or_texts,
                  .description = "what to continue: a text, or a list of texts",
                  .required = true},
                 integer("logprobs",
                         "log-probabilities of each token and of the N most probable ones", 0, 20)},
                common_fields());
}

Fields completion_answer() {
  return answer_fields("text_completion",
                       {{"index", Type::integer, "prompt × n + answer"},
                        {"text", Type::text, "the continuation alone"},
                        {"logprobs", Type::object, "tokens, token_logprobs, top_logprobs"},
                        finish_field()});
}

Fields prompt_attention_fields() {
  return {{.name = "prompt", .type = Type::text, .description = "the text", .required = true},
          {"model", Type::text, "a model's id; not needed where there is one"},
          {"api_key", Type::text, "where the server asks for one and no header has it"}};
}

Fields prompt_attention_answer() {
  return {{"tokens", Type::texts, "of the prompt"},
          {"heads", Type::integer, "of a layer"},
          {"colours", Type::texts, "to draw each head with"},
          {"layers", Type::list, "weights in steps of 1/255, [head][query][key] in one list"}};
}

Fields chat_fields() {
  return joined({{.name = "messages",
                  .type = Type::list,
                  .description = "the conversation: objects with \"role\" and \"content\"",
                  .required = true},
                 integer("max_completion_tokens", "the newer name of max_tokens", 1, kMostTokens),
                 {"logprobs", Type::boolean, "log-probabilities of each token"},
                 integer("top_logprobs", "and of the N most probable ones", 0, 20),
                 {"tools", Type::list, "given to the chat template; calls come back as text"},
                 {"chat_template_kwargs", Type::object, "further variables of the chat template"}},
                common_fields());
}

Fields chat_answer() {
  return answer_fields(
      "chat.completion",
      {{"index", Type::integer, "of the answer"},
       {.name = "message",
        .type = Type::object,
        .description = "the answer",
        .fields = {{"role", Type::text, "assistant"}, {"content", Type::text, "its text"}}},
       {"logprobs", Type::object, "content: a list with one item per token"},
       finish_field()});
}

Fields openai_error_answer() {
  return {{.name = "error",
           .type = Type::object,
           .description = "what is wrong",
           .fields = {{"message", Type::text, "in one sentence"},
                      {"type", Type::text, "its kind"},
                      {"param", Type::text, "the field, where one is wrong"},
                      {"code", Type::text, "a word for it"}}}};
}

Fields openai_model_fields() {
  return {
      {"id", Type::text, "its name here"},
      {.name = "object", .type = Type::text, .description = "model", .words = {"model"}},
      {"created", Type::integer, "seconds since 1970 when the server began"},
      {"owned_by", Type::text, "yona"},
      {"task", Type::text,
       "translation, generation, embedding, classification or image-classification"},
      {"source", Type::text, "the language that is translated; of translation"},
      {"target", Type::text, "the language that it is translated into; of translation"},
      {"loaded", Type::boolean, "whether it is in memory; of translation"},
      {"family", Type::text, "whose model it is"},
      {"layers", Type::integer, "of the decoder, or of an encoder alone"},
      {"heads", Type::integer, "of a layer"},
      {"d_model", Type::integer, "channels"},
      {"vocabulary", Type::integer, "tokens"},
      {"context", Type::integer, "tokens of prompt and answer together, of a text or of a picture"},
      {"labels", Type::texts, "of classification"},
      {"chat", Type::boolean, "whether it has a chat template; of generation"}};
}

}  // namespace yona::serve
