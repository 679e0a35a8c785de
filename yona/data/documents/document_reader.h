// Documents of text files, in parts that fit memory: a line each, or a whole file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/data/byte_source.h"
#include "yona/data/line_reader.h"

namespace yona {

enum class DocumentUnit : std::uint8_t { file, line };
constexpr std::array<std::string_view, 2> enum_names(DocumentUnit) { return {"file", "line"}; }

class DocumentReader {
 public:
  struct Part {
    std::string text;   // of a file: cut where no tokeniser would join the two sides
    bool ends = false;  // it is the last part of its document
  };

  // Compressed files are read as they are.
  DocumentReader(std::vector<std::filesystem::path> files, DocumentUnit unit);

  // False at the end. Blank lines and empty files are not documents. Throws IoError, and
  // FormatError naming the file for text that is not UTF-8 or an archive that is damaged.
  bool next(Part& part);

 private:
  bool open_next();
  bool next_line(Part& part);
  bool next_of_file(Part& part);

  std::vector<std::filesystem::path> files_;
  DocumentUnit unit_;
  std::size_t next_file_ = 0;
  std::unique_ptr<LineReader> lines_;
  std::unique_ptr<ByteSource> bytes_;
  std::string held_;
  bool at_end_ = false;
};

// Where a text of at least `least` bytes can be cut: after a line feed between characters that are
// not white space. npos: nowhere.
std::size_t cut_after_line(std::string_view text, std::size_t least);

}  // namespace yona
