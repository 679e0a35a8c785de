// `yona info`: the layers, shapes and sizes of a model, and what this machine can run it on.

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/input_file.h"
#include "yona/cli/commands.h"
#include "yona/cli/devices.h"
#include "yona/cli/model_table.h"
#include "yona/cli/run_flags.h"
#include "yona/decode/generation_config.h"
#include "yona/decode/languages.h"
#include "yona/io/atomic_file.h"
#include "yona/io/checksums.h"
#include "yona/io/hf_tokenizer.h"
#include "yona/io/int8_weights_file.h"
#include "yona/io/model_files.h"
#include "yona/io/model_folder.h"
#include "yona/io/translation_model.h"

namespace yona::cli {

namespace {

struct InfoFlags {
  std::string model, preset, vocabulary;
  std::vector<std::string> sets;
  bool verify = false;
  bool record = false;
  bool devices = false;
  bool json = false;
};

constexpr std::int64_t kPaperVocabulary = 37000;  // §5.1

// "Attention Is All You Need", Table 3, in millions; it counts what we do not know.
std::string paper_says(const std::string& name) {
  if (name != "base" && name != "big") {
    return "";
  }
  return fmt::format("; the paper's Table 3 says {} M", name == "base" ? 65 : 213);
}

struct Subject {
  std::string name;
  ModelInfo info;
  std::int64_t int8_bytes = 0;           // of the folder's weights, where they are int8
  std::vector<std::string> languages{};  // of a multilingual model
  std::string verified{};                // what was, in words
};

std::vector<std::string> languages_of(const TranslationModel& model) {
  return is_multilingual(model.info()) ? language_tokens(model.subwords().target.vocabulary())
                                       : std::vector<std::string>();
}

// All files of checksums.json, where there is one. Loading has looked at the rest.
std::string verify_all(const std::string& folder) {
  const std::optional<Manifest> manifest = Manifest::find(folder);
  if (manifest) {
    verify_folder(folder);
  }
  return manifest ? fmt::format(
                        "verified: {} as checksums.json says; config.json, sub-words and every "
                        "tensor of the weights fit each other",
                        counted(manifest->names().size(), "file"))
                  : fmt::format(
                        "verified: config.json, sub-words and every tensor of the weights fit "
                        "each other; there is no checksums.json to compare them with (yona info "
                        "--model {} --record-checksums writes one)",
                        folder);
}

// Checksums of a model that cannot be loaded would vouch for nothing: then the old ones stay.
std::size_t record(const std::filesystem::path& folder, Backend& backend) {
  const std::filesystem::path manifest = folder / kManifestFile;
  const std::optional<std::string> before =
      std::filesystem::exists(manifest) ? std::optional(read_file(manifest)) : std::nullopt;
  const std::size_t recorded = record_checksums(folder, backend.exec().pool);
  try {
    TranslationModel::load(folder, backend, packing_of(folder));
  } catch (...) {
    if (before) {
      replace_file(manifest, *before);
    } else {
      std::filesystem::remove(manifest);
    }
    throw;
  }
  return recorded;
}

// The model is opened as `yona translate` opens it, so that what that refuses is refused here.
Subject from_folder(const InfoFlags& flags) {
  check(flags.preset.empty() && flags.vocabulary.empty() && flags.sets.empty(),
        "--model: a folder has its own shape; leave out --preset, --vocab-size and --set");
  check(!flags.verify || !flags.record,
        "--verify and --record-checksums exclude each other; give one");
  const std::filesystem::path folder = flags.model;
  check(is_model_folder(folder), "--model: {}: is not a model folder (no config.json)",
        flags.model);
  const std::unique_ptr<Backend> backend = make_backend("cpu", {});
  const std::size_t recorded = flags.record ? record(folder, *backend) : 0;
  const auto model = TranslationModel::load(folder, *backend, packing_of(folder));
  folder_options(folder, model->info());  // throws where generation_config.json is wrong
  const std::filesystem::path int8 = folder / kInt8File;
  Subject subject{
      flags.model, model->info(),
      has_int8_weights(folder) ? static_cast<std::int64_t>(std::filesystem::file_size(int8)) : 0,
      languages_of(*model)};
  if (flags.verify) {
    subject.verified = verify_all(flags.model);
  }
  if (flags.record) {
    subject.verified = fmt::format("recorded: the checksums of {} are in {}",
                                   counted(recorded, "file"), (folder / kManifestFile).string());
  }
  return subject;
}

Subject from_preset(const InfoFlags& flags) {
  std::vector<ConfigAssignment> assignments;
  assignments.reserve(flags.sets.size() + 1);
  for (const std::string& text : flags.sets) {
    assignments.push_back(parse_set(text));
  }
  if (!flags.preset.empty()) {
    assignments.push_back({"preset", flags.preset, "--preset"});
  }
  const RunConfig config = resolve_config("", assignments);
  Subject subject{flags.sets.empty() ? config.preset : config.preset + " with changes", {}};
  subject.info.config = config.model;
  subject.info.config.source_vocabulary = subject.info.config.target_vocabulary =
      flags.vocabulary.empty() ? kPaperVocabulary
                               : integer_value("--vocab-size", flags.vocabulary, {3, 1 << 24});
  return subject;
}

Json to_json(const Subject& subject, const ModelTable& table) {
  const TransformerConfig& model = subject.info.config;
  const HeadShape heads = model.head_shape();
  return {{"name", subject.name},
          {"source_language", subject.info.source_language},
          {"target_language", subject.info.target_language},
          {"languages", subject.languages},
          {"encoder_layers", model.encoder_layers},
          {"decoder_layers", model.decoder_layers},
          {"d_model", model.d_model},
          {"d_ff", model.d_ff},
          {"heads", model.heads},
          {"d_k", heads.d_k},
          {"d_v", heads.d_v},
          {"source_vocabulary", model.source_vocabulary},
          {"target_vocabulary", model.target_vocabulary},
          {"parameters", table.parameters},
          {"weight_type", subject.int8_bytes > 0 ? "int8" : "f32"},
          {"verified", subject.verified},
          {"weights", to_json(table)}};
}

std::string vocabulary_text(const TransformerConfig& model) {
  return model.source_vocabulary == model.target_vocabulary
             ? grouped(model.source_vocabulary)
             : fmt::format("{} and {}", grouped(model.source_vocabulary),
                           grouped(model.target_vocabulary));
}

void print_model(const Subject& subject, const ModelTable& table) {
  const TransformerConfig& model = subject.info.config;
  const HeadShape heads = model.head_shape();
  const bool has_languages = !subject.info.source_language.empty();
  fmt::print(
      "{}: {}{} + {} layers, d_model {}, d_ff {}, {} heads of d_k {} and d_v {}, "
      "vocabulary {}\n\n",
      subject.name,
      has_languages
          ? fmt::format("{} → {}, ", subject.info.source_language, subject.info.target_language)
          : "",
      model.encoder_layers, model.decoder_layers, model.d_model, model.d_ff, model.heads, heads.d_k,
      heads.d_v, vocabulary_text(model));
  print(table);
  fmt::print("\n{} parameters, {} in f32{}{}\n", short_count(table.parameters),
             short_bytes(table.parameters * 4), paper_says(subject.name),
             subject.int8_bytes > 0
                 ? fmt::format("; the folder has them in int8: {}", short_bytes(subject.int8_bytes))
                 : "");
  if (!subject.languages.empty()) {
    fmt::print("{}: {}\n", counted(subject.languages.size(), "language"),
               fmt::join(subject.languages, " "));
  }
  if (!subject.verified.empty()) {
    fmt::print("{}\n", subject.verified);
  }
}

int run(const InfoFlags& flags) {
  const bool wants_preset =
      !flags.preset.empty() || !flags.vocabulary.empty() || !flags.sets.empty();
  check(wants_preset || !flags.model.empty() || flags.devices,
        "info: say about what: --model DIR, --preset base or --devices");
  check(!flags.model.empty() || (!flags.verify && !flags.record),
        "--verify and --record-checksums are about a folder; add --model DIR");
  Json result = Json::object();
  if (wants_preset || !flags.model.empty()) {
    const Subject subject = flags.model.empty() ? from_preset(flags) : from_folder(flags);
    const ModelTable table = model_table(subject.info.config);
    if (!flags.json) {
      print_model(subject, table);
    }
    result["model"] = to_json(subject, table);
  }
  if (flags.devices) {
    result["devices"] = describe_devices();
    if (!flags.json) {
      print_devices(result["devices"]);
    }
  }
  if (flags.json) {
    fmt::print("{}\n", result.dump(2));
  }
  return 0;
}

}  // namespace

Command add_info(CLI::App& program) {
  CLI::App* app =
      add_command(program, {"info", "layers, shapes and sizes of a model; what this machine has",
                            "yona info --model run\n"
                            "yona info --model run --verify\n"
                            "yona info --preset base --vocab-size 37000\n"
                            "yona info --preset base --set model.heads=16 --set model.d_k=16\n"
                            "yona info --devices --json"});
  const auto flags = std::make_shared<InfoFlags>();
  add_text(*app, flags->model, {"-m,--model", "DIR", "a model folder, or that of a training run"});
  add_text(*app, flags->preset, {"--preset", "NAME", "tiny, iwslt, base or big"});
  add_text(*app, flags->vocabulary,
           {"--vocab-size", "N", "pieces of the vocabulary (default 37000)"});
  add_repeated(*app, flags->sets, {"--set", "KEY=VALUE", "change a model key; may repeat"});
  add_switch(*app, flags->verify,
             {"--verify", "", "compare every file of the folder with its checksums.json"});
  add_switch(*app, flags->record,
             {"--record-checksums", "",
              "write checksums.json for the folder as it is, after another program changed it"});
  add_switch(*app, flags->devices,
             {"--devices", "", "list the CPU features and GPUs of this machine"});
  add_switch(*app, flags->json, {"--json", "", "as JSON"});
  return {app, [flags] { return run(*flags); }};
}

}  // namespace yona::cli
