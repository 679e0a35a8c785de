#include "yona/io/model_kind.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "yona/base/error.h"
#include "yona/io/hf_family.h"
#include "yona/io/json_file.h"
#include "yona/io/marian_files.h"

namespace yona {

namespace {

struct NamedKind {
  std::string_view name;
  ModelKind kind;
};

// The tasks of yona train, as config.json's "yona" has them.
constexpr std::array kTasks{NamedKind{"translation", ModelKind::translation},
                            NamedKind{"parsing", ModelKind::parsing},
                            NamedKind{"language-model", ModelKind::language_model},
                            NamedKind{"masked-lm", ModelKind::encoder},
                            NamedKind{"classification", ModelKind::encoder},
                            NamedKind{"image-classification", ModelKind::image},
                            NamedKind{"question-answering", ModelKind::question_answering}};

// Values of "model_type" on the hub, besides the encoder-decoders of hf_families().
constexpr std::array kTypes{NamedKind{"gpt2", ModelKind::language_model},
                            NamedKind{"llama", ModelKind::language_model},
                            NamedKind{"mistral", ModelKind::language_model},
                            NamedKind{"qwen2", ModelKind::language_model},
                            NamedKind{"qwen3", ModelKind::language_model},
                            NamedKind{"bert", ModelKind::encoder},
                            NamedKind{"roberta", ModelKind::encoder},
                            NamedKind{"xlm-roberta", ModelKind::encoder},
                            NamedKind{"distilbert", ModelKind::encoder},
                            NamedKind{"vit", ModelKind::image},
                            NamedKind{"deit", ModelKind::image}};

std::string supported_types() {
  std::vector<std::string_view> names;
  for (const HfFamily* family : hf_families()) {
    names.push_back(family->model_type);
  }
  for (const NamedKind& type : kTypes) {
    names.push_back(type.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The task under the key "yona": encoder-decoders have it among their model's fields
// (model_description.h). None in models of version 0.1.
std::optional<Json> task_of(const Json& own) {
  if (!own.is_object()) {
    return std::nullopt;
  }
  const Json model = own.value("model", Json());
  for (const Json* fields : {&own, &model}) {
    if (fields->is_object() && fields->contains("task")) {
      return fields->at("task");
    }
  }
  return std::nullopt;
}

ModelKind kind_of_task(const Json& own, std::string_view where) {
  const std::optional<Json> task = task_of(own);
  if (!task) {
    return ModelKind::translation;
  }
  for (const NamedKind& each : kTasks) {
    if (*task == each.name) {
      return each.kind;
    }
  }
  fail<FormatError>("{}: the task {} of the key \"yona\" is not known: update yona", where,
                    task->dump());
}

}  // namespace

std::string_view describe(ModelKind kind) {
  switch (kind) {
    case ModelKind::translation:
      return "a translation model";
    case ModelKind::parsing:
      return "a parser";
    case ModelKind::language_model:
      return "a language model";
    case ModelKind::encoder:
      return "an encoder";
    case ModelKind::image:
      return "an image classifier";
    case ModelKind::question_answering:
      return "a memory network";
  }
  fail("model_kind: unknown kind {}", static_cast<int>(kind));
}

ModelKind model_kind(const Json& config, std::string_view where) {
  check<FormatError>(config.is_object(), "{}: not a JSON object", where);
  if (config.contains("yona")) {
    return kind_of_task(config["yona"], where);
  }
  const std::string type = ForeignConfig(config, where).get<std::string>("model_type");
  if (find_family(type) != nullptr) {
    return ModelKind::translation;
  }
  for (const NamedKind& each : kTypes) {
    if (each.name == type) {
      return each.kind;
    }
  }
  fail<FormatError>("{}: model_type '{}' is not supported; {} are", where, type, supported_types());
}

ModelKind read_model_kind(const std::filesystem::path& folder) {
  if (is_marian_folder(folder)) {
    return ModelKind::translation;
  }
  const std::filesystem::path path = folder / "config.json";
  return model_kind(read_json(path), path.string());
}

void check_writes_text(const Json& config, std::string_view where) {
  std::optional<ModelKind> kind;
  if (config.contains("yona")) {
    kind = kind_of_task(config["yona"], where);
  } else if (config.contains("model_type")) {
    for (const NamedKind& each : kTypes) {
      if (config["model_type"] == each.name) {
        kind = each.kind;
      }
    }
  }
  check<FormatError>(kind != ModelKind::encoder,
                     "{}: is an encoder, not a translation model; yona classify, embed and fill "
                     "take it, in C++ TextEncoder::load()",
                     where);
  check<FormatError>(kind != ModelKind::image,
                     "{}: is an image classifier, not a translation model; yona classify --image "
                     "takes it, in C++ ImageClassifier::load()",
                     where);
  check<FormatError>(kind != ModelKind::question_answering,
                     "{}: is a memory network, not a translation model; yona train and info alone "
                     "read it",
                     where);
  check<FormatError>(kind != ModelKind::language_model,
                     "{}: is a language model, not a translation model; yona generate and "
                     "perplexity take it",
                     where);
}

void check_model_kind(const std::filesystem::path& folder, ModelKind wanted,
                      std::string_view command) {
  const ModelKind found = read_model_kind(folder);
  check(found == wanted, "{}: is {}; {} takes {}", folder.string(), describe(found), command,
        describe(wanted));
}

}  // namespace yona
