#include "yona/decode/lexicon.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "yona/base/error.h"
#include "yona/data/line_reader.h"

namespace yona {

namespace {

struct LexiconEntry {
  std::string_view target, source;
  double probability = 0;
};

// The text before the next blank, which is taken off.
std::string_view take_word(std::string_view& line) {
  constexpr std::string_view kBlanks = " \t";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

std::optional<LexiconEntry> parse_entry(std::string_view line) {
  LexiconEntry entry;
  entry.target = take_word(line);
  entry.source = take_word(line);
  const std::string_view number = take_word(line);
  const char* end = number.data() + number.size();
  const auto [parsed, error] = std::from_chars(number.data(), end, entry.probability);
  const bool is_good = !number.empty() && error == std::errc() && parsed == end &&
                       entry.probability >= 0 && entry.probability <= 1 && take_word(line).empty();
  return is_good ? std::optional(entry) : std::nullopt;
}

}  // namespace

LexiconLines read_lexicon(const std::filesystem::path& path, const Vocabulary& source,
                          const Vocabulary& target, ShortlistCounts& counts) {
  LexiconLines lines;
  LineReader reader(path);
  LineReader::Line line;
  while (reader.next(line)) {
    const std::optional<LexiconEntry> entry = parse_entry(line.text);
    check<FormatError>(entry.has_value(),
                       "{}:{}: expected a target piece, a source piece and a probability",
                       reader.name(), reader.lines());
    ++lines.read;
    const auto source_id = source.find(entry->source);
    const auto target_id = target.find(entry->target);
    if (!source_id || !target_id) {
      ++lines.unknown;
      continue;
    }
    counts.add_translation(*source_id, *target_id, static_cast<float>(entry->probability));
    counts.add_frequency(*target_id, entry->probability);
  }
  return lines;
}

}  // namespace yona
