// Lines of a corpus file, with counts of what is unusual about them.
//
// A line ends at LF and nowhere else (U+2028, U+0085, form feed and NUL are characters of it). A
// final line without LF counts. A byte-order mark at the front of the file and CR before LF are
// dropped and counted. Nothing here is fatal: the caller reports, and decides about each line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/data/byte_source.h"

namespace yona {

// How often something was met, and where first: "train.de.gz:17".
struct Findings {
  static constexpr std::size_t kShown = 5;
  std::uint64_t count = 0;
  std::vector<std::string> first;

  void add(std::string_view file, std::uint64_t line);
  void add(const Findings& other);
};

class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20U;  // bytes

  struct Line {
    std::string_view text;  // valid until the next call
    bool valid_utf8 = true;
    bool cut = false;  // it was longer than kLongestLine: text holds its beginning only
  };

  explicit LineReader(const std::filesystem::path& path);
  // `name` is what messages call the source.
  LineReader(std::unique_ptr<ByteSource> source, std::string name);

  // False at the end. Throws IoError, or FormatError naming file, offset and line when an archive
  // is damaged.
  bool next(Line& line);

  const std::string& name() const { return name_; }
  std::uint64_t lines() const { return lines_; }  // read so far: the number of the current line
  std::uint64_t byte_order_marks() const { return byte_order_marks_; }
  std::uint64_t carriage_returns() const { return carriage_returns_; }  // lines that had one
  const Findings& invalid_utf8() const { return invalid_utf8_; }

 private:
  bool refill();
  bool gather(bool& cut);
  void finish(Line& line);

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string line_;
  std::uint64_t lines_ = 0;
  std::uint64_t byte_order_marks_ = 0;
  std::uint64_t carriage_returns_ = 0;
  Findings invalid_utf8_;
};

}  // namespace yona
