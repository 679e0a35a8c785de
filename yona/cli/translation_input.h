// What `yona translate` reads: the lines, what is odd about them, and files that have a line for
// each of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yona/data/line_queue.h"
#include "yona/decode/line_translator.h"

namespace yona::cli {

// Does a flag's value mean standard input or output? Empty and "-" do.
bool is_standard(const std::string& path);

// The lines of --input, a file or standard input. Throws InvalidArgument where there is no file.
std::unique_ptr<LineQueue> open_lines(const std::string& input, WindowLimits limits = {});

// Throws InvalidArgument when the output is one of the files that are read: opening it would empty
// it. "-" is standard input; an empty name is not a file.
void check_output_apart(const std::string& output, const std::vector<std::string>& inputs);

// The size of a plain file, for the progress bar; 0 for standard input and archives.
std::uint64_t plain_size(const std::string& input);

enum class BadEncoding : std::uint8_t { repair, refuse };

// What was odd about the input, counted as it goes by.
class InputChecks {
 public:
  // `input` as in open_lines(), for messages.
  InputChecks(const std::string& input, BadEncoding bad);

  // The line as it is translated. Throws FormatError where it cannot be.
  SourceLine accept(InputLine line);
  // Says how many lines were repaired, where that has not been said of each.
  void report() const;

 private:
  std::string where(std::uint64_t line) const;

  std::string file_;  // empty: standard input
  BadEncoding bad_;
  std::uint64_t repaired_ = 0;
};

// The texts of a window, as they are used.
std::vector<std::string> accepted(std::vector<InputLine>& window, InputChecks& checks);

// A file with a line for each line of the input, such as --prefix; without a path, blank lines.
class LinesBeside {
 public:
  // Throws InvalidArgument when there is no such file.
  LinesBeside(std::string flag, const std::string& path);

  // The line that belongs to the next one of the input. Throws InvalidArgument when there is none,
  // FormatError when it is not UTF-8 or too long.
  std::string next();
  // Throws InvalidArgument when lines are left after the input's.
  void check_end(std::uint64_t lines);

 private:
  std::string flag_, path_;
  std::unique_ptr<LineReader> reader_;
};

}  // namespace yona::cli
