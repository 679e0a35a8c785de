// Choices that were made by measuring, and that results depend on in their last bits: which
// algorithm multiplies which shape. Each is made once and then kept: in a file of the user's cache
// folder, so that the next run makes the same, and in checkpoints, so that a resumed run goes on
// with those that it began with.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yona {

// Keys and values are words without line breaks and without " = ".
class Choices {
 public:
  // What the choices hold for, one line: a device and a version.
  explicit Choices(std::string machine) : machine_(std::move(machine)) {}

  // Reads what the file has, and adds to it from then on. A file that is not there is made, one
  // that cannot be read or written is done without: nothing is lost but time. Of two choices for
  // one key the first counts, so that two runs at once do no harm.
  void keep_in(const std::filesystem::path& file);

  // None: not made yet.
  std::optional<std::string> find(const std::string& key);
  void add(const std::string& key, const std::string& value);

  // Those that this run has used or taken, as text, the same for the same choices; and back.
  // They come before those of the file. Returns false, with nothing taken, for another machine's.
  std::string used() const;
  bool take(std::string_view text);

 private:
  struct Choice {
    std::string value;
    bool used = false;
  };
  // The choices of a text whose first line is the machine's; false for another machine's.
  template <class Found>
  bool read(std::string_view text, const Found& found) const;

  std::string machine_;
  std::filesystem::path file_;  // empty: none
  std::map<std::string, Choice> choices_;
};

// $XDG_CACHE_HOME/yona or ~/.cache/yona; empty where neither is known.
std::filesystem::path cache_folder();

}  // namespace yona
