#include "yona/serve/encoder_api.h"

#include <bit>
#include <cstring>

#include "yona/base/base64.h"
#include "yona/encode/label_scores.h"
#include "yona/serve/encoder_request.h"
#include "yona/serve/openai_answer.h"
#include "yona/serve/openai_fields.h"

namespace yona::serve {

namespace {

using Type = FieldType;

Fields usage_of_encoders() {
  return {{"prompt_tokens", Type::integer, "tokens of the input, special ones counted"},
          {"total_tokens", Type::integer, "the same"}};
}

Fields list_answer(Fields item) {
  return {{.name = "object", .type = Type::text, .description = "list", .words = {"list"}},
          {.name = "data",
           .type = Type::list,
           .description = "one for each input, in order",
           .fields = std::move(item)},
          {"model", Type::text, "its id"},
          {.name = "usage",
           .type = Type::object,
           .description = "what was counted",
           .fields = usage_of_encoders()}};
}

Field truncated_field() {
  return {"truncated", Type::boolean, "true: the text was longer than the model takes"};
}

Fields embedding_answer() {
  return list_answer(
      {{.name = "object", .type = Type::text, .description = "embedding", .words = {"embedding"}},
       {"index", Type::integer, "of the input"},
       {"embedding", Type::any, "numbers, or base64 where that is asked for"},
       truncated_field()});
}

Fields classify_answer() {
  return list_answer(
      {{.name = "object",
        .type = Type::text,
        .description = "classification",
        .words = {"classification"}},
       {"index", Type::integer, "of the input"},
       {"label", Type::text, "the most probable one"},
       {"score", Type::number, "its probability"},
       {"value", Type::number, "of a regression, in place of the others"},
       {.name = "labels",
        .type = Type::list,
        .description = "all of them, the most probable first",
        .fields = {{"label", Type::text, "its name"}, {"score", Type::number, "its probability"}}},
       truncated_field()});
}

std::string little_endian(const std::vector<float>& vector) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(vector.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), vector.data(), bytes.size());
  return bytes;
}

struct EmbeddingForm {
  bool is_base64 = false;
  std::size_t dimensions = 0;  // 0: all
};

Json embedding_json(EncoderResult& result, const EmbeddingForm& form) {
  if (form.dimensions > 0 && form.dimensions < result.vector.size()) {
    result.vector.resize(form.dimensions);
    scale_to_length_1(result.vector);
  }
  return {{"object", "embedding"},
          {"embedding",
           form.is_base64 ? Json(base64(little_endian(result.vector))) : Json(result.vector)}};
}

Json labels_json(const EncoderResult& result, bool is_regression) {
  Json item{{"object", "classification"}};
  if (is_regression) {
    item["value"] = result.labels.front().score;
    return item;
  }
  item["label"] = result.labels.front().label;
  item["score"] = result.labels.front().score;
  item["labels"] = Json::array();
  for (const LabelScore& label : result.labels) {
    item["labels"].push_back({{"label", label.label}, {"score", label.score}});
  }
  return item;
}

template <class ItemJson>
Json list_json(const std::string& model, std::vector<EncoderResult>& results,
               const ItemJson& item_json) {
  Json data = Json::array();
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Json item = item_json(results[i]);
    item["index"] = i;
    if (results[i].is_cut) {
      item["truncated"] = true;
    }
    tokens += results[i].tokens;
    data.push_back(std::move(item));
  }
  return {{"object", "list"},
          {"data", std::move(data)},
          {"model", model},
          {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}};
}

using ItemJson = std::function<Json(EncoderResult&)>;

void submit_encoding(const ApiHost& host, const std::shared_ptr<Exchange>& exchange,
                     const RequestFields& fields, const std::shared_ptr<EncoderJob>& job,
                     const ItemJson& item_json) {
  const HttpRequest& request = exchange->request();
  host.keys.admit(key_of(request, fields.text("api_key")), request.client, characters_of(*job));
  job->deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(host.deadline);
  job->gone = exchange->gone();
  job->done = [exchange, model = job->model, item_json](std::vector<EncoderResult> results) {
    exchange->respond(large_json_response(list_json(model, results, item_json)));
  };
  job->failed = [exchange](const std::exception_ptr& error) {
    exchange->respond(openai_error(error));
  };
  host.encoding->submit(job);
}

void answer_embeddings(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  const RequestFields fields(exchange->request(), embedding_fields(), UnknownFields::refuse);
  const EncoderSummary model = chosen_encoder(*host.encoding, fields);
  const EmbeddingForm form{
      .is_base64 = fields.text("encoding_format") == "base64",
      .dimensions = static_cast<std::size_t>(fields.integer("dimensions").value_or(0))};
  submit_encoding(host, exchange, fields, embedding_job(fields, model, host.limits),
                  [form](EncoderResult& result) { return embedding_json(result, form); });
}

void answer_classification(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  const RequestFields fields(exchange->request(), classify_fields(), UnknownFields::refuse);
  const EncoderSummary model = chosen_encoder(*host.encoding, fields);
  submit_encoding(host, exchange, fields, classify_job(fields, model, host.limits),
                  [is_regression = model.is_regression](EncoderResult& result) {
                    return labels_json(result, is_regression);
                  });
}

}  // namespace

std::vector<Route> encoder_routes(const ApiHost& host) {
  return {{.method = "POST",
           .path = "/v1/embeddings",
           .summary = "A vector for each text, as OpenAI's API gives them.",
           .takes = embedding_fields(),
           .gives = embedding_answer(),
           .queue = Queue::encoding,
           .error_gives = openai_error_answer(),
           .error = openai_error,
           .handler = [&host](const auto& exchange) { answer_embeddings(host, exchange); }},
          {.method = "POST",
           .path = "/v1/classify",
           .summary = "Labels of texts, pairs of texts or pictures, with their probabilities.",
           .takes = classify_fields(),
           .gives = classify_answer(),
           .queue = Queue::encoding,
           .error_gives = openai_error_answer(),
           .error = openai_error,
           .handler = [&host](const auto& exchange) { answer_classification(host, exchange); }}};
}

}  // namespace yona::serve
