#include "yona/cli/translation_input.h"

#include <filesystem>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/log.h"
#include "yona/cli/command.h"
#include "yona/text/utf8.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// At a terminal each line is answered at once; a pipe is given a moment to bring more; windows of a
// file are always full, so that all ranks, and a job that is started again, cut the same chunks.
std::optional<std::chrono::milliseconds> patience_for(const std::string& input) {
  std::error_code error;
  if (is_standard(input)) {
    return isatty(STDIN_FILENO) != 0 ? 0ms : 5ms;
  }
  return fs::is_regular_file(input, error) ? std::nullopt
                                           : std::optional<std::chrono::milliseconds>(10s);
}

}  // namespace

bool is_standard(const std::string& path) { return path.empty() || path == "-"; }

std::unique_ptr<LineQueue> open_lines(const std::string& input, WindowLimits limits) {
  limits.patience = patience_for(input);
  if (is_standard(input)) {
    return std::make_unique<LineQueue>(STDIN_FILENO, "standard input", limits);
  }
  require_file("--input", input);
  return std::make_unique<LineQueue>(input, limits);
}

std::uint64_t plain_size(const std::string& input) {
  std::error_code error;
  const fs::path path = input;
  const bool is_archive =
      path.extension() == ".gz" || path.extension() == ".xz" || path.extension() == ".zst";
  if (is_standard(input) || is_archive || !fs::is_regular_file(path, error)) {
    return 0;
  }
  const std::uint64_t size = fs::file_size(path, error);
  return error ? 0 : size;
}

void check_output_apart(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code error;
  if (is_standard(output) || !fs::is_regular_file(output, error)) {
    return;
  }
  for (const std::string& input : inputs) {
    const fs::path read = input == "-" ? "/dev/stdin" : input;
    check(read.empty() || !fs::equivalent(output, read, error),
          "--output: {} is also read; name another file", output);
  }
}

InputChecks::InputChecks(const std::string& input, BadEncoding bad)
    : file_(is_standard(input) ? "" : input), bad_(bad) {}

std::string InputChecks::where(std::uint64_t line) const {
  return file_.empty() ? fmt::format("line {}", line) : fmt::format("{}:{}", file_, line);
}

SourceLine InputChecks::accept(InputLine line) {
  check<FormatError>(!line.cut, "{}: is longer than {}; cut it into lines", where(line.number),
                     short_bytes(LineReader::kLongestLine));
  if (!line.valid_utf8) {
    check<FormatError>(bad_ == BadEncoding::repair,
                       "{}: is not UTF-8; convert the input, for example with iconv",
                       where(line.number));
    if (repaired_++ < Findings::kShown) {
      log().warn("{}: is not UTF-8; what is broken is read as U+FFFD", where(line.number));
    }
    line.text = repaired_utf8(line.text);
  }
  return {.text = std::move(line.text), .number = line.number};
}

void InputChecks::report() const {
  if (repaired_ > Findings::kShown) {
    log().warn("{} lines were not UTF-8", grouped(static_cast<std::int64_t>(repaired_)));
  }
}

std::vector<std::string> accepted(std::vector<InputLine>& window, InputChecks& checks) {
  std::vector<std::string> texts;
  texts.reserve(window.size());
  for (InputLine& line : window) {
    texts.push_back(checks.accept(std::move(line)).text);
  }
  return texts;
}

LinesBeside::LinesBeside(std::string flag, const std::string& path)
    : flag_(std::move(flag)), path_(path) {
  if (!path.empty()) {
    require_file(flag_, path);
    reader_ = std::make_unique<LineReader>(path);
  }
}

std::string LinesBeside::next() {
  if (reader_ == nullptr) {
    return {};
  }
  LineReader::Line line;
  check(reader_->next(line), "{}: {} has {}, the input has more", flag_, path_,
        counted(reader_->lines(), "line"));
  check<FormatError>(line.valid_utf8, "{}: {}:{}: is not UTF-8", flag_, path_, reader_->lines());
  check<FormatError>(!line.cut, "{}: {}:{}: is longer than {}", flag_, path_, reader_->lines(),
                     short_bytes(LineReader::kLongestLine));
  return std::string(line.text);
}

void LinesBeside::check_end(std::uint64_t lines) {
  LineReader::Line rest;
  check(reader_ == nullptr || !reader_->next(rest), "{}: {} has more lines than the input's {}",
        flag_, path_, lines);
}

}  // namespace yona::cli
