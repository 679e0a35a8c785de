#include "yona/cli/bulk.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/base/thread_pool.h"
#include "yona/cli/output_file.h"
#include "yona/cli/translation_input.h"
#include "yona/parallel/collectives.h"
#include "yona/parallel/gpus.h"
#include "yona/parallel/ranks.h"
#include "yona/train/team.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;

// What a file is known by: other content has another size or was written at another time.
Json trace_of(const fs::path& file) {
  std::error_code error;
  return Json::array(
      {fs::file_size(file, error), fs::last_write_time(file, error).time_since_epoch().count()});
}

// Hidden ones, and parts of an output that is written into a model's folder.
bool is_passed_over(const fs::path& path) {
  return path.filename().string().starts_with('.') || path.extension() == ".chunks";
}

// A value that names a file, or a folder with files.
void add_traces(const std::string& value, Json& record) {
  std::error_code error;
  if (fs::is_regular_file(value, error)) {
    record[value] = trace_of(value);
  } else if (fs::is_directory(value, error)) {
    constexpr auto kReadable = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(value, kReadable, error), end; entry != end;
         entry.increment(error)) {
      if (is_passed_over(entry->path())) {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file(error)) {
        record[entry->path().string()] = trace_of(entry->path());
      }
    }
  }
}

// What decides the output: version, command, options and the files that they name. How many CPUs
// take part does not.
Json record_of(const CLI::App& app) {
  static const std::set<std::string> kNoMatter{"--output", "--threads", "--workers", "--verbose",
                                               "--quiet"};
  Json record{{"version", YONA_VERSION}, {"command", app.get_name()}};
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || kNoMatter.contains(name)) {
      continue;
    }
    record[name] = fmt::format("{}", fmt::join(option->results(), ","));
    for (const fs::path& value : path_list(option->results())) {
      add_traces(value.string(), record);
    }
  }
  return record;
}

WindowLimits limits_of(const std::string& chunk_lines) {
  WindowLimits limits;
  if (!chunk_lines.empty()) {
    limits.lines =
        static_cast<std::size_t>(integer_value("--chunk-lines", chunk_lines, {1, 1 << 30}));
  }
  return limits;
}

void check_files_of_ranks(const BulkFiles& files, const Communicator& ranks) {
  check(!is_standard(files.input) && !is_standard(files.output),
        "{} ranks share out the lines of a file and write one together: name both, with --input "
        "and --output (YONA_RANKS=off: each process works for itself)",
        ranks.size());
  std::error_code error;
  check(fs::is_regular_file(files.input, error),
        "--input: {} is not a regular file, which every rank can read from its beginning",
        files.input);
  check(!fs::exists(files.output, error) || fs::is_regular_file(files.output, error),
        "--output: {} is not a file, which ranks write together", files.output);
}

std::string text_of(const std::set<std::uint64_t>& numbers) { return Json(numbers).dump(); }

}  // namespace

void add_chunk_lines(CLI::App& app, std::string& flag) {
  add_text(app, flag,
           {"--chunk-lines", "N",
            "lines that are read and written together, with mpirun by one rank (default 4096)"});
}

Communicator* join_bulk_ranks(const std::string& device, std::string& threads,
                              const std::string& workers) {
  Communicator* ranks = join_ranks();
  if (ranks == nullptr) {
    return nullptr;
  }
  if (threads == "0") {
    const int parts = rank_neighbours(*ranks).on_cpus *
                      static_cast<int>(integer_value("--workers", workers, {1, 4096}));
    threads = std::to_string(std::max(1, available_cpus() / parts));
  }
  if (device == "cuda") {
    take_gpu(*ranks);
  }
  if (ranks->rank() > 0) {
    log().set_level(spdlog::level::off);
  }
  return ranks;
}

Bulk::Bulk(const CLI::App& app, BulkFiles files, Communicator* ranks)
    : files_(std::move(files)), ranks_(ranks), chunks_(files_.output) {
  const WindowLimits limits = limits_of(files_.chunk_lines);
  if (ranks_ != nullptr) {
    check_files_of_ranks(files_, *ranks_);
  }
  lines_ = open_lines(files_.input, limits);
  std::vector<std::string> read = files_.beside;
  read.push_back(is_standard(files_.input) ? "-" : files_.input);
  check_output_apart(files_.output, read);
  if (ranks_ != nullptr || (!is_standard(files_.output) && chunks_.is_there())) {
    protect_model_files("--output", files_.output);
    record_ = record_of(app);
    Team(ranks_).check_same(record_);
  }
}

std::vector<std::uint64_t> Bulk::begin_chunks() {
  std::string done;
  if (leads()) {
    chunks_.begin(record_);
    lock_.emplace(chunks_.path());
    done = text_of(chunks_.done());
  }
  done = Team(ranks_).from_leader(done);
  check(chunks_.is_there(),
        "--output: rank {} does not see {}: the folder must be one that all ranks share",
        Team(ranks_).rank(), chunks_.path().string());
  return Json::parse(done);
}

void Bulk::run_in_chunks(const Work& work) {
  const std::vector<std::uint64_t> done = begin_chunks();
  const int size = ranks_ != nullptr ? ranks_->size() : 1;
  if (leads() && !done.empty()) {
    log().info("{} chunks are done: going on with the others", done.size());
  }
  log().set_level(std::min(log().level(), spdlog::level::warn));  // of a rank's own lines
  std::uint64_t number = 0;
  std::uint64_t missing = 0;
  for (std::vector<InputLine> window; !(window = lines_->next()).empty(); ++number) {
    const bool is_done = std::binary_search(done.begin(), done.end(), number);
    const bool is_own =
        !is_done &&
        static_cast<int>(missing++ % static_cast<std::uint64_t>(size)) == Team(ranks_).rank();
    if (is_own) {
      chunks_.write(number, work.answer(window));
    } else if (work.pass) {
      work.pass(window);
    }
  }
  if (ranks_ != nullptr) {
    barrier(*ranks_);
  }
  if (leads()) {
    chunks_.join(number);
    lock_.reset();
  }
}

void Bulk::run_alone(const Work& work) {
  TranslationOutput output(files_.output);
  for (std::vector<InputLine> window; !(window = lines_->next()).empty();) {
    output.write(work.answer(window));
  }
  output.finish();
}

void Bulk::run(const Work& work) {
  if (record_.is_null()) {
    run_alone(work);
  } else {
    run_in_chunks(work);
  }
}

}  // namespace yona::cli
