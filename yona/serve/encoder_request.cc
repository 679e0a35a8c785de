#include "yona/serve/encoder_request.h"

#include <algorithm>
#include <limits>

#include "yona/base/base64.h"

namespace yona::serve {

namespace {

using Type = FieldType;

template <class... Args>
void must(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) {
    throw HttpError(400, fmt::format(message, std::forward<Args>(args)...));
  }
}

bool all_of(const Json& list, bool (*holds)(const Json&)) {
  return list.is_array() && !list.empty() && std::all_of(list.begin(), list.end(), holds);
}
bool is_text(const Json& value) { return value.is_string(); }
bool is_id(const Json& value) { return value.is_number_integer(); }
bool are_ids(const Json& value) { return all_of(value, is_id); }
bool is_pair(const Json& value) { return all_of(value, is_text) && value.size() == 2; }

std::vector<std::int32_t> ids_of(const Json& list) {
  std::vector<std::int32_t> ids;
  ids.reserve(list.size());
  for (const Json& item : list) {
    const auto id = item.get<std::int64_t>();
    must(id >= 0 && id <= std::numeric_limits<std::int32_t>::max(),
         "\"input\": there is no token {}", id);
    ids.push_back(static_cast<std::int32_t>(id));
  }
  return ids;
}

Json as_list(const Json& value) { return value.is_array() ? value : Json::array({value}); }

// Of base64, with or without what a data URL has in front.
std::string picture_of(const Json& value) {
  must(value.is_string(), "\"image\": expected base64 of a PNG or JPEG, or a list of such texts");
  std::string_view text = value.get_ref<const std::string&>();
  if (text.starts_with("data:")) {
    const std::size_t comma = text.find(',');
    must(comma != text.npos && text.substr(0, comma).ends_with(";base64"),
         "\"image\": the data URL is not base64");
    text.remove_prefix(comma + 1);
  }
  std::optional<std::string> bytes = from_base64(text);
  must(bytes.has_value() && !bytes->empty(), "\"image\": the text is not base64");
  return std::move(*bytes);
}

void check_job(const EncoderJob& job, const TextLimits& limits) {
  const std::int64_t count = static_cast<std::int64_t>(job.size());
  must(count <= limits.texts, "\"input\": {} texts; {} are allowed at most", count, limits.texts);
  const std::int64_t characters = characters_of(job);
  must(characters <= limits.characters, "the request has {} characters; {} are allowed at most",
       characters, limits.characters);
}

Fields with_common(Fields fields) {
  const Fields common{
      {"model", Type::text, "a model's id; not needed where there is one"},
      {"user", Type::text, "ignored"},
      {"api_key", Type::text, "where the server asks for one and no header has it"}};
  fields.insert(fields.end(), common.begin(), common.end());
  return fields;
}

}  // namespace

Fields embedding_fields() {
  return with_common(
      {{.name = "input",
        .type = Type::any,
        .description = "a text, a list of texts, a list of tokens or a list of such lists",
        .required = true},
       {.name = "encoding_format",
        .type = Type::text,
        .description = "of vectors: numbers, or base64 of little-endian 32-bit floats",
        .words = {"float", "base64"}},
       {.name = "dimensions",
        .type = Type::integer,
        .description = "keep the first N numbers, scaled to length 1",
        .least = 1},
       {.name = "pooling",
        .type = Type::text,
        .description = "of yona: how tokens become one vector; the default is the folder's own",
        .words = {"mean", "cls", "max"}},
       {"normalize", Type::boolean,
        "of yona: scale vectors to length 1; the default is the folder's own"},
       {"prompt", Type::text,
        "of yona: the name of a prompt of the folder to put in front of each text; \"\": none"}});
}

Fields classify_fields() {
  return with_common({{.name = "input",
                       .type = Type::any,
                       .description = "a text, a list of texts or a list of pairs of texts"},
                      {"image", Type::text_or_texts,
                       "base64 of a PNG or JPEG, or a list of them, for a model of pictures"}});
}

EncoderSummary chosen_encoder(const EncoderService& service, const RequestFields& fields) {
  const std::vector<EncoderSummary> all = service.encoders();
  if (!fields.has("model") && all.size() == 1) {
    return all.front();
  }
  const std::string id = fields.text("model");
  std::vector<std::string> ids;
  ids.reserve(all.size());
  for (const EncoderSummary& summary : all) {
    if (summary.id == id) {
      return summary;
    }
    ids.push_back(summary.id);
  }
  throw HttpError(404,
                  fmt::format("there is no encoder '{}'; there is {}", id, fmt::join(ids, ", ")));
}

std::shared_ptr<EncoderJob> embedding_job(const RequestFields& fields, const EncoderSummary& model,
                                          const TextLimits& limits) {
  must(!model.takes_pictures(), "the model '{}' takes pictures; use /v1/classify", model.id);
  auto job = std::make_shared<EncoderJob>();
  job->wants = EncoderJob::Wants::vectors;
  const Json input = fields.value("input");
  if (is_text(input) || all_of(input, is_text)) {
    for (const Json& text : as_list(input)) {
      job->texts.push_back({text.get<std::string>()});
    }
  } else {
    must(are_ids(input) || all_of(input, are_ids),
         "\"input\": expected a text, a list of texts, a list of tokens or a list of such lists, "
         "none of them empty");
    for (const Json& ids : are_ids(input) ? Json::array({input}) : input) {
      job->ids.push_back(ids_of(ids));
    }
  }
  job->options.pooling = fields.text("pooling");
  if (fields.has("normalize")) {
    job->options.normalise = fields.boolean("normalize");
  }
  if (fields.has("prompt")) {
    job->options.prompt = fields.text("prompt");
  }
  const std::int64_t dimensions = fields.integer("dimensions").value_or(model.d_model);
  must(dimensions <= model.d_model,
       "\"dimensions\": expected at most the {} of the model '{}', got {}", model.d_model, model.id,
       dimensions);
  job->model = model.id;
  check_job(*job, limits);
  return job;
}

std::shared_ptr<EncoderJob> classify_job(const RequestFields& fields, const EncoderSummary& model,
                                         const TextLimits& limits) {
  must(!model.labels.empty(), "the model '{}' has no classification head; use /v1/embeddings",
       model.id);
  const char* wanted = model.takes_pictures() ? "image" : "input";
  must(fields.has(wanted), "\"{}\" is missing: the model '{}' takes {}", wanted, model.id,
       model.takes_pictures() ? "pictures" : "texts");
  must(fields.has("input") != fields.has("image"), "give \"input\" or \"image\", not both");
  auto job = std::make_shared<EncoderJob>();
  job->wants = EncoderJob::Wants::labels;
  const Json input = as_list(fields.value(wanted));
  must(!input.empty(), "\"{}\": the list is empty", wanted);
  for (const Json& item : input) {
    if (model.takes_pictures()) {
      job->pictures.push_back(picture_of(item));
    } else if (is_pair(item)) {
      job->texts.push_back({item[0].get<std::string>(), item[1].get<std::string>()});
    } else {
      must(is_text(item), "\"input\": expected a text, a list of texts or a list of pairs");
      job->texts.push_back({item.get<std::string>()});
    }
  }
  job->model = model.id;
  check_job(*job, limits);
  return job;
}

std::int64_t characters_of(const EncoderJob& job) {
  std::int64_t characters = 0;
  for (const TextSegments& text : job.texts) {
    characters += character_count(text.first) + (text.second ? character_count(*text.second) : 0);
  }
  for (const std::vector<std::int32_t>& ids : job.ids) {
    characters += static_cast<std::int64_t>(ids.size());
  }
  return characters;
}

}  // namespace yona::serve
