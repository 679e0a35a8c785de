// `yona bench compare`: yona and the engines that are installed, on the same weights, sentences,
// beam, lengths and threads; what they answer is compared too.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/base/random.h"
#include "yona/base/thread_pool.h"
#include "yona/cli/commands.h"
#include "yona/cli/compare_report.h"
#include "yona/cli/compute_type.h"
#include "yona/cli/translation_input.h"
#include "yona/decode/translator.h"
#include "yona/io/atomic_file.h"
#include "yona/text/utf8.h"

namespace yona {

extern const std::string_view kComparePeer;  // bench/peers/compare_peer.py

namespace cli {

namespace {

namespace fs = std::filesystem;

struct CompareFlags {
  std::string model, input, worker;
  std::string python = "python3";
  std::string lines = "500";
  std::string beam = "4";
  std::string batch = "32";
  std::string max_length = "256";
  std::string threads = "0";
  std::string compute_type = "f32";
  std::string rounds = "3";
  std::vector<std::string> engines;
  bool no_scores = false;
  bool json = false;
};

struct Peer {
  const char* name;
  BeamMode mode;  // whose rules it searches by
};
constexpr std::array kPeers{Peer{"ctranslate2", BeamMode::ctranslate2},
                            Peer{"transformers", BeamMode::huggingface},
                            Peer{"marian", BeamMode::marian}};

// Removed with what is in it.
class WorkFolder {
 public:
  WorkFolder() : path_((fs::temp_directory_path() / "yona-compare-XXXXXX").string()) {
    check<IoError>(::mkdtemp(path_.data()) != nullptr,
                   "bench compare: cannot make a folder like {}", path_);
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  fs::path operator/(std::string_view name) const { return fs::path(path_) / name; }

 private:
  std::string path_;
};

// Sentences of the input that the model takes, as ids; blank lines are left out.
std::vector<Ids> read_sources(const std::string& input, std::int64_t most,
                              const TranslationModel& model, Backend& backend) {
  const Translator translator({&model}, backend);
  const std::unique_ptr<LineQueue> queue = open_lines(input);
  std::vector<Ids> sources;
  for (std::vector<InputLine> window; !(window = queue->next()).empty();) {
    for (const InputLine& line : window) {
      Ids ids = is_utf8(line.text) ? translator.source_ids(line.text) : Ids();
      const auto length = static_cast<std::int64_t>(ids.size());
      if (length > 0 && length <= translator.max_source()) {
        sources.push_back(std::move(ids));
      }
      if (static_cast<std::int64_t>(sources.size()) == most) {
        return sources;
      }
    }
  }
  check(!sources.empty(), "--input: {}: there is no line to translate", input);
  return sources;
}

// Without an input: tokens drawn at random, 31 and </s>.
std::vector<Ids> random_sources(std::int64_t count, const Vocabulary& vocabulary) {
  constexpr int kLength = 31;
  RandomSequence random(1);
  std::vector<Ids> sources(static_cast<std::size_t>(count));
  for (Ids& source : sources) {
    for (int i = 0; i < kLength; ++i) {
      source.push_back(static_cast<std::int32_t>(3 + random.below(vocabulary.size() - 4)));
    }
    source.push_back(vocabulary.end());
  }
  return sources;
}

CompareJob job_of(const CompareFlags& flags) {
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
  const std::unique_ptr<TranslationModel> model =
      TranslationModel::load(flags.model, *backend, packing_of(flags.model));
  CompareJob job;
  job.model = fs::absolute(flags.model);
  job.beam = integer_value("--beam", flags.beam, {1, 1024});
  job.batch = integer_value("--batch", flags.batch, {1, 1 << 20});
  job.max_length = std::min(integer_value("--max-length", flags.max_length, {1, 1 << 20}),
                            model->info().config.max_positions);
  const auto threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  job.threads = threads > 0 ? std::min(threads, available_cpus()) : available_cpus();
  compute_type(flags.compute_type, "cpu");  // told before anything runs
  job.compute_type = flags.compute_type;
  job.scores = !flags.no_scores;
  job.end_id = model->subwords().target.vocabulary().end();
  const std::int64_t lines = integer_value("--lines", flags.lines, {1, 1 << 24});
  job.sources = flags.input.empty() ? random_sources(lines, model->subwords().source.vocabulary())
                                    : read_sources(flags.input, lines, *model, *backend);
  return job;
}

// The last object that a script prints; nothing where it cannot be run.
std::optional<Json> answer_of(const std::vector<std::string>& command) {
  std::optional<Json> answer;
  try {
    ChildProcess process(command);
    while (const std::optional<std::string> line = process.read_line()) {
      if (Json json = Json::parse(*line, nullptr, false); json.is_object()) {
        answer = std::move(json);
      }
    }
    return process.wait() == 0 ? answer : std::nullopt;
  } catch (const IoError&) {
    return std::nullopt;
  }
}

// Its part of the report, or why it is left out.
struct Prepared {
  std::string name;  // "CTranslate2 4.8.4"
  std::string left_out;
};

Prepared prepare(const Peer& peer, const CompareFlags& flags, const fs::path& script,
                 const CompareJob& job, const fs::path& folder) {
  const auto ask = [&](const char* what, const std::string& argument) {
    return answer_of({flags.python, script.string(), what, peer.name, argument});
  };
  const std::optional<Json> found = ask("find", "");
  if (!found) {
    return {"", fmt::format("{}: {} cannot be run", peer.name, flags.python)};
  }
  if (!found->contains("name")) {
    return {"", fmt::format("{}: not installed for {}", peer.name, flags.python)};
  }
  log().info("bringing the weights to {}", found->at("name").get<std::string>());
  fs::create_directories(folder);
  Json json = to_json(job);
  json["folder"] = folder.string();
  replace_file(folder / "job.json", json.dump());
  const std::optional<Json> ready = ask("prepare", (folder / "job.json").string());
  if (!ready || ready->contains("reason")) {
    return {"", fmt::format("{}: {}", peer.name,
                            ready ? ready->at("reason").get<std::string>()
                                  : "its converter failed on this model")};
  }
  return {found->at("name").get<std::string>(), ""};
}

struct Entry {
  std::unique_ptr<CompareEngine> yona, peer;
};

std::vector<Peer> chosen_peers(const CompareFlags& flags) {
  std::vector<Peer> chosen;
  std::vector<std::string> names;
  std::transform(kPeers.begin(), kPeers.end(), std::back_inserter(names),
                 [](const Peer& peer) { return peer.name; });
  for (const fs::path& name : path_list(flags.engines)) {
    word_value("--engines", name.string(), names);
  }
  const auto wanted = path_list(flags.engines);
  std::copy_if(kPeers.begin(), kPeers.end(), std::back_inserter(chosen), [&](const Peer& peer) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), peer.name) != wanted.end();
  });
  return chosen;
}

// Every engine decodes everything once a round, in turn, so that a slow minute of the machine hits
// all of them.
CompareReport compare(const CompareFlags& flags, CompareJob job) {
  const WorkFolder work;
  const fs::path script = work / "compare_peer.py";
  replace_file(script, kComparePeer);
  const std::vector<std::string> self{fs::read_symlink("/proc/self/exe").string(), "bench",
                                      "compare", "--worker"};
  const std::string own_name = fmt::format("yona {}", YONA_VERSION);
  CompareReport report{.job = job,
                       .input = flags.input.empty() ? "random tokens" : flags.input,
                       .rounds = integer_value("--rounds", flags.rounds, {1, 1000})};
  std::vector<Entry> entries;
  for (const Peer& peer : chosen_peers(flags)) {
    job.mode = peer.mode;
    const fs::path folder = work / peer.name;
    const Prepared prepared = prepare(peer, flags, script, job, folder);
    if (!prepared.left_out.empty()) {
      report.left_out.push_back(prepared.left_out);
      continue;
    }
    Entry& entry = entries.emplace_back();
    entry.yona = std::make_unique<CompareEngine>(own_name, self, job,
                                                 work / fmt::format("yona-{}", peer.name));
    entry.peer = std::make_unique<CompareEngine>(
        prepared.name, std::vector<std::string>{flags.python, script.string(), "serve", peer.name},
        job, folder);
  }
  if (entries.empty()) {
    job.mode = BeamMode::paper;
    entries.push_back({std::make_unique<CompareEngine>(own_name, self, job, work / "yona"), {}});
  }
  const auto each = [&](void (CompareEngine::*call)()) {
    for (const Entry& entry : entries) {
      (entry.yona.get()->*call)();
      if (entry.peer) {
        (entry.peer.get()->*call)();
      }
    }
  };
  each(&CompareEngine::warm_up);
  for (std::int64_t round = 0; round < report.rounds; ++round) {
    each(&CompareEngine::run);
  }
  for (const Entry& entry : entries) {
    Comparison& comparison = report.comparisons.emplace_back();
    comparison.yona = entry.yona->end();
    if (entry.peer) {
      comparison.peer = entry.peer->end();
    }
  }
  return report;
}

int run(const CLI::App& app, const CompareFlags& flags) {
  if (!flags.worker.empty()) {
    return run_compare_worker(flags.worker);
  }
  require_flag(app, "--model", !flags.model.empty(), "name the folder of a model");
  require_folder("--model", flags.model);
  if (!flags.input.empty()) {
    require_file("--input", flags.input);
  }
  const CompareReport report = compare(flags, job_of(flags));
  fmt::print("{}", flags.json ? compare_json(report).dump() + "\n" : compare_table(report));
  return 0;
}

}  // namespace

Command add_bench_compare(CLI::App& bench) {
  CLI::App* app = add_command(
      bench, {"compare", "compare yona with CTranslate2, transformers and Marian, where installed",
              "yona bench compare --model run --input test.en --python venv/bin/python\n"
              "yona bench compare --model run --input test.en --engines ctranslate2 --threads 1 "
              "--json"});
  const auto flags = std::make_shared<CompareFlags>();
  add_text(*app, flags->model, {"-m,--model", "DIR", "a model folder"});
  add_text(*app, flags->input,
           {"-i,--input", "FILE", "sentences, one a line (default: random tokens)"});
  add_text(*app, flags->lines, {"--lines", "N", "number of sentences at most (default 500)"});
  add_text(*app, flags->python,
           {"--python", "PROGRAM", "a Python with the other programs (default python3)"});
  add_list(*app, flags->engines,
           {"--engines", "NAME…", "only these: ctranslate2, transformers, marian"});
  add_text(*app, flags->beam, {"--beam", "N", "1 is greedy (default 4)"});
  add_text(*app, flags->batch, {"--batch", "N", "sentences decoded together (default 32)"});
  add_text(*app, flags->max_length, {"--max-length", "N", "output tokens at most (default 256)"});
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_compute_type(*app, flags->compute_type);
  add_text(*app, flags->rounds, {"--rounds", "N", "timed rounds, interleaved (default 3)"});
  add_switch(*app, flags->no_scores,
             {"--no-scores", "", "do not compute scores: greedy search may then skip the softmax"});
  add_switch(*app, flags->json, {"--json", "", "the result as JSON"});
  add_text(*app, flags->worker, {"--worker", "JOB", "", ""});
  return {app, [app, flags] { return run(*app, *flags); }};
}

}  // namespace cli
}  // namespace yona
