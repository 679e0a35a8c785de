#include "yona/cli/file_flags.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/tasks/task_kind.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;

enum class Values : std::uint8_t { list, repeated };

struct FileFlagText {
  const char* flag;
  const char* value;
  const char* description;
  Values values = Values::list;
};

// Every flag that some task takes.
constexpr std::array<FileFlagText, 7> kFileFlags{{
    {"--train", "FILE…", "training files of tasks other than translation (.gz, .xz and .zst too)"},
    {"--valid", "FILE…", "their validation file"},
    {"--train-src", "FILE…", "source sentences, one a line (.gz, .xz and .zst too)"},
    {"--train-tgt", "FILE…", "their translations"},
    {"--train-tsv", "FILE…", "tab-separated pairs, instead of the two above"},
    {"--valid-src", "[NAME=]FILE", "validation source; may repeat, and the first decides stopping",
     Values::repeated},
    {"--valid-tgt", "[NAME=]FILE", "validation target", Values::repeated},
}};

const std::vector<std::string>& given(const FileFlags& files, std::string_view flag) {
  static const std::vector<std::string> none;
  const auto found = files.find(flag);
  return found == files.end() ? none : found->second;
}

// --- translation: files come in pairs -------------------------------------------------------

// "name=path", or a path alone.
std::pair<std::string, fs::path> named_path(const std::string& text) {
  const std::size_t equals = text.find('=');
  std::error_code error;
  if (equals == text.npos || equals == 0 || fs::exists(text, error)) {
    return {"", text};
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<ValidationSet> validation_sets(const std::vector<std::string>& sources,
                                           const std::vector<std::string>& targets) {
  check(sources.size() == targets.size(),
        "--valid-src is given {} times and --valid-tgt {} times; they go in pairs", sources.size(),
        targets.size());
  std::vector<ValidationSet> sets;
  sets.reserve(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto [source_name, source] = named_path(sources[i]);
    const auto [target_name, target] = named_path(targets[i]);
    check(source_name == target_name || source_name.empty() || target_name.empty(),
          "--valid-src is called '{}' and --valid-tgt '{}'; pairs are given in the same order",
          source_name, target_name);
    const std::string fallback = i == 0 ? "valid" : fmt::format("valid-{}", i + 1);
    const std::string& name = source_name.empty() ? target_name : source_name;
    sets.push_back({name.empty() ? fallback : name, source, target});
  }
  return sets;
}

void apply_pairs(const FileFlags& files, DataConfig& data) {
  const auto& tsv = given(files, "--train-tsv");
  const bool has_pairs =
      !given(files, "--train-src").empty() || !given(files, "--train-tgt").empty();
  check(!has_pairs || tsv.empty(),
        "--train-tsv: is given together with --train-src or --train-tgt; use one or the other (or "
        "list corpora in --config)");
  if (has_pairs || !tsv.empty()) {
    CorpusSpec corpus;
    corpus.source_files = path_list(given(files, "--train-src"));
    corpus.target_files = path_list(given(files, "--train-tgt"));
    corpus.tsv_files = path_list(tsv);
    check(corpus.source_files.size() == corpus.target_files.size(),
          "--train-src names {} files and --train-tgt {}; they are paired one to one",
          corpus.source_files.size(), corpus.target_files.size());
    data.corpora = {std::move(corpus)};
  }
  const auto& sources = given(files, "--valid-src");
  const auto& targets = given(files, "--valid-tgt");
  if (!sources.empty() || !targets.empty()) {
    data.valid = validation_sets(sources, targets);
  }
}

// --- other tasks: a flag is a key -----------------------------------------------------------

void apply_key(const FileFlag& flag, const std::vector<std::string>& values, RunConfig& config) {
  const ConfigKeys<RunConfig>& keys = run_config_keys(config.task);
  const auto key = std::find_if(keys.begin(), keys.end(),
                                [&](const auto& candidate) { return candidate.name == flag.key; });
  const std::vector<fs::path> paths = path_list(values);
  const ConfigSource source{std::string(flag.flag), "", ""};
  if (key->is_list == ListKey::no) {
    check(paths.size() == 1, "{}: names {} files; the task {} takes one", flag.flag, paths.size(),
          config.task);
    key->set(config, ConfigNode::scalar(paths.front().string()), source);
    return;
  }
  key->set(config, ConfigNode::list({paths.begin(), paths.end()}), source);
}

std::vector<std::string> flags_of(const TaskKind& kind) {
  std::vector<std::string> names;
  for (const FileFlag& flag : kind.file_flags) {
    names.emplace_back(flag.flag);
  }
  return names;
}

}  // namespace

void add_file_flags(CLI::App& app, FileFlags& files) {
  for (const FileFlagText& flag : kFileFlags) {
    const FlagText text{flag.flag, flag.value, flag.description, "Data"};
    (flag.values == Values::list ? add_list : add_repeated)(app, files[flag.flag], text);
  }
}

bool has_files(const FileFlags& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const auto& entry) { return !entry.second.empty(); });
}

void apply_file_flags(const FileFlags& files, RunConfig& config) {
  const TaskKind& kind = task_kind(config.task);
  for (const auto& [name, values] : files) {
    const auto flag = std::find_if(kind.file_flags.begin(), kind.file_flags.end(),
                                   [&name = name](const FileFlag& f) { return f.flag == name; });
    check(values.empty() || flag != kind.file_flags.end(),
          "{}: is not a flag of the task {}, which takes {}", name, config.task,
          join_names(flags_of(kind), "and"));
    if (!values.empty() && config.task != "translation") {
      apply_key(*flag, values, config);
    }
  }
  if (config.task == "translation") {
    apply_pairs(files, config.data);
  }
}

std::string training_flags(const std::string& task) {
  return task == "translation" ? "--train-src and --train-tgt"
                               : std::string(task_kind(task).file_flags.front().flag);
}

}  // namespace yona::cli
