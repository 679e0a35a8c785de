#include "yona/backend/choices.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

namespace yona {

namespace {

constexpr std::string_view kIs = " = ";

std::string line_of(const std::string& key, const std::string& value) {
  return key + std::string(kIs) + value + "\n";
}

}  // namespace

template <class Found>
bool Choices::read(std::string_view text, const Found& found) const {
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      break;  // the line is still being written, or was cut off
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (first) {
      if (line != machine_) {
        return false;
      }
      first = false;
    } else if (const std::size_t at = line.find(kIs); at != std::string_view::npos) {
      found(std::string(line.substr(0, at)), std::string(line.substr(at + kIs.size())));
    }
  }
  return !first;
}

void Choices::keep_in(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  const bool ours = read(text.str(), [&](const std::string& key, const std::string& value) {
    choices_.try_emplace(key, Choice{value, false});
  });
  std::error_code ignored;
  if (const std::size_t whole = text.str().rfind('\n') + 1; ours && whole < text.str().size()) {
    std::filesystem::resize_file(file, whole, ignored);  // the next line begins on its own
  }
  if (!ours) {
    std::filesystem::create_directories(file.parent_path(), ignored);
    std::ofstream(file, std::ios::binary) << machine_ << "\n" << std::flush;
  }
  file_ = file;
}

std::optional<std::string> Choices::find(const std::string& key) {
  const auto found = choices_.find(key);
  if (found == choices_.end()) {
    return std::nullopt;
  }
  found->second.used = true;
  return found->second.value;
}

void Choices::add(const std::string& key, const std::string& value) {
  choices_.insert_or_assign(key, Choice{value, true});
  if (!file_.empty()) {
    std::ofstream(file_, std::ios::binary | std::ios::app) << line_of(key, value) << std::flush;
  }
}

std::string Choices::used() const {
  std::string text;
  for (const auto& [key, choice] : choices_) {
    if (choice.used) {
      text += line_of(key, choice.value);
    }
  }
  return text.empty() ? text : machine_ + "\n" + text;
}

bool Choices::take(std::string_view text) {
  return read(text, [&](const std::string& key, const std::string& value) {
    choices_.insert_or_assign(key, Choice{value, true});
  });
}

std::filesystem::path cache_folder() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder != nullptr && *folder != '\0') {
    return std::filesystem::path(folder) / "yona";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::filesystem::path(home) / ".cache" / "yona";
  }
  return {};
}

}  // namespace yona
