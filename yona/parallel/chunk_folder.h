// A long output that several processes are writing: `OUTPUT.chunks` has a file for each finished
// part, and record.json, which says what they are parts of. When all are there they become the
// output and the folder is removed. A job that is started again computes only the missing parts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>

#include "yona/base/json.h"

namespace yona {

class ChunkFolder {
 public:
  explicit ChunkFolder(std::filesystem::path output);

  const std::filesystem::path& path() const { return folder_; }
  // Was a job with this output begun and not ended?
  bool is_there() const;

  // Makes the folder with this record. Where there is one already, throws InvalidArgument naming
  // what differs in its record; both have names and values.
  void begin(const Json& record) const;
  // Numbers of the parts that are done.
  std::set<std::uint64_t> done() const;

  // A part, compressed as the name of the output asks. Throws IoError.
  void write(std::uint64_t number, std::string_view text) const;
  // Parts 0 to count - 1, in order, as the output, which is replaced at once. Removes the folder.
  void join(std::uint64_t count) const;

 private:
  std::filesystem::path file(std::uint64_t number) const;

  std::filesystem::path output_, folder_;
};

}  // namespace yona
