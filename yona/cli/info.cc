// `yona info`: the layers, shapes and sizes of a model, and what this machine can run it on.

#include <memory>
#include <optional>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/input_file.h"
#include "yona/cli/commands.h"
#include "yona/cli/devices.h"
#include "yona/cli/model_summary.h"
#include "yona/cli/run_flags.h"
#include "yona/io/atomic_file.h"
#include "yona/io/checksums.h"
#include "yona/io/int8_weights_file.h"
#include "yona/io/model_files.h"
#include "yona/io/model_folder.h"

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
  ModelSummary model;
  std::int64_t int8_bytes = 0;  // of the folder's weights, where they are int8
  std::string verified{};       // what was, in words
};

// All files of checksums.json, where there is one. Loading has looked at the rest.
std::string verify_all(const std::string& folder, const std::string& files) {
  const std::optional<Manifest> manifest = Manifest::find(folder);
  if (manifest) {
    verify_folder(folder);
  }
  const std::string fit = fmt::format("{} and every tensor of the weights fit each other", files);
  return manifest ? fmt::format("verified: {} as checksums.json says; {}",
                                counted(manifest->names().size(), "file"), fit)
                  : fmt::format(
                        "verified: {}; there is no checksums.json to compare them with (yona info "
                        "--model {} --record-checksums writes one)",
                        fit, folder);
}

// Checksums of a model that cannot be loaded would vouch for nothing: then the old ones stay.
std::size_t record(const std::filesystem::path& folder, Backend& backend) {
  const std::filesystem::path manifest = folder / kManifestFile;
  const std::optional<std::string> before =
      std::filesystem::exists(manifest) ? std::optional(read_file(manifest)) : std::nullopt;
  const std::size_t recorded = record_checksums(folder, backend.exec().pool);
  try {
    read_summary(folder, backend);
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
  Subject subject{flags.model, read_summary(folder, *backend)};
  if (has_int8_weights(folder)) {
    subject.int8_bytes = static_cast<std::int64_t>(std::filesystem::file_size(folder / kInt8File));
  }
  if (flags.verify) {
    subject.verified = verify_all(flags.model, subject.model.files);
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
  RunConfig config = resolve_config("", assignments);
  config.model.source_vocabulary = config.model.target_vocabulary =
      flags.vocabulary.empty() ? kPaperVocabulary
                               : integer_value("--vocab-size", flags.vocabulary, {3, 1 << 24});
  return {flags.sets.empty() ? config.preset : config.preset + " with changes",
          summary_of(config.model)};
}

Json to_json(const Subject& subject) {
  Json json{{"name", subject.name}};
  json.update(subject.model.fields);
  json.update({{"parameters", subject.model.table.parameters},
               {"weight_type", subject.int8_bytes > 0 ? "int8" : "f32"},
               {"verified", subject.verified},
               {"weights", to_json(subject.model.table)}});
  return json;
}

void print_model(const Subject& subject) {
  const ModelTable& table = subject.model.table;
  fmt::print("{}: {}\n\n", subject.name, subject.model.line);
  print(table);
  fmt::print("\n{} parameters, {} in f32{}{}\n", short_count(table.parameters),
             short_bytes(table.parameters * 4), paper_says(subject.name),
             subject.int8_bytes > 0
                 ? fmt::format("; the folder has them in int8: {}", short_bytes(subject.int8_bytes))
                 : "");
  const std::vector<std::string>& languages = subject.model.languages;
  if (!languages.empty()) {
    fmt::print("{}: {}\n", counted(languages.size(), "language"), fmt::join(languages, " "));
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
    if (!flags.json) {
      print_model(subject);
    }
    result["model"] = to_json(subject);
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
  CLI::App* app = add_command(
      program, {"info", "show layers, shapes and sizes of a model; or what this machine has",
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
