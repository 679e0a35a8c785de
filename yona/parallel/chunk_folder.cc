#include "yona/parallel/chunk_folder.h"

#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "yona/base/error.h"
#include "yona/io/atomic_file.h"
#include "yona/io/compressed.h"
#include "yona/io/json_file.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "record.json";

std::string text_of(const Json& value) {
  return value.is_null()     ? "not given"
         : value.is_string() ? value.get<std::string>()
                             : value.dump();
}

std::string change_of(const std::string& name, const Json& then, const Json& now) {
  return fmt::format("{}: {} → {}", name, text_of(then), text_of(now));
}

std::vector<std::string> changes_between(const Json& then, const Json& now) {
  std::vector<std::string> changes;
  for (const auto& [name, value] : now.items()) {
    if (const Json there = then.value(name, Json()); there != value) {
      changes.push_back(change_of(name, there, value));
    }
  }
  for (const auto& [name, value] : then.items()) {
    if (!now.contains(name)) {
      changes.push_back(change_of(name, value, Json()));
    }
  }
  return changes;
}

}  // namespace

ChunkFolder::ChunkFolder(fs::path output)
    : output_(std::move(output)), folder_(output_.string() + ".chunks") {}

fs::path ChunkFolder::file(std::uint64_t number) const { return folder_ / std::to_string(number); }

bool ChunkFolder::is_there() const {
  std::error_code error;
  return fs::exists(folder_ / kRecord, error);
}

void ChunkFolder::begin(const Json& record) const {
  if (is_there()) {
    const auto changes = changes_between(read_json(folder_ / kRecord), record);
    check(changes.empty(),
          "--output: {} was started with other options or files ({}); give the command that it was "
          "started with, or remove that folder",
          folder_.string(), fmt::join(changes, "; "));
    return;
  }
  std::error_code error;
  check(!fs::exists(folder_, error) || fs::is_empty(folder_, error),
        "--output: {} is in the way: it is not empty and has no {}; remove it", folder_.string(),
        kRecord);
  fs::create_directories(folder_, error);
  check<IoError>(!error, "--output: {} cannot be made: {}", folder_.string(), error.message());
  write_json(folder_ / kRecord, record);
}

std::set<std::uint64_t> ChunkFolder::done() const {
  std::set<std::uint64_t> numbers;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (fault == std::errc() && end == name.data() + name.size()) {
      numbers.insert(number);
    }
  }
  return numbers;
}

void ChunkFolder::write(std::uint64_t number, std::string_view text) const {
  replace_file(file(number), compressed_for(output_, text));
}

void ChunkFolder::join(std::uint64_t count) const {
  replace_file(output_, [&](const fs::path& path) {
    std::ofstream whole(path, std::ios::binary);
    if (count == 0) {
      whole << compressed_for(output_, "");
    }
    for (std::uint64_t number = 0; number < count; ++number) {
      std::ifstream part(file(number), std::ios::binary);
      check<IoError>(part.is_open(), "{} cannot be read", file(number).string());
      if (part.peek() != std::ifstream::traits_type::eof()) {  // an empty one would set failbit
        whole << part.rdbuf();
      }
    }
    whole.flush();
    check<IoError>(whole.good(), "--output: {} cannot be written", output_.string());
  });
  std::error_code error;
  // The record goes last: a folder without it could not say whose parts are left.
  for (const std::uint64_t number : done()) {
    fs::remove(file(number), error);
  }
  fs::remove_all(folder_, error);
}

}  // namespace yona
