#include "yona/inspect/alignment.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "yona/base/error.h"

namespace yona {

namespace {

// A number at the front of the text, which it leaves.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

struct ReadLink {
  AlignmentLink link;
  bool sure = false;
};

ReadLink read_link(std::string_view word, std::int64_t base, std::string_view name) {
  std::string_view rest = word;
  const auto source = take_number(rest);
  const char kind = rest.empty() ? '\0' : rest.front();
  rest.remove_prefix(rest.empty() ? 0 : 1);
  const auto target = take_number(rest);
  check<FormatError>(
      source && target && rest.empty() && (kind == '-' || kind == 'p' || kind == '?'),
      "{}: '{}' is not a link; expected 3-4 (sure) or 3p4 (possible)", name, word);
  check<FormatError>(*source >= base && *target >= base,
                     "{}: '{}' lies before the first word, which is {}; see --gold-base", name,
                     word, base);
  return {{*source - base, *target - base}, kind == '-'};
}

void sort_once(std::vector<AlignmentLink>& links) {
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

std::int64_t count_in(const std::vector<AlignmentLink>& links,
                      const std::vector<AlignmentLink>& sorted) {
  return std::count_if(links.begin(), links.end(), [&](const AlignmentLink& link) {
    return std::binary_search(sorted.begin(), sorted.end(), link);
  });
}

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view name_of(AlignAt at) { return at == AlignAt::writing ? "writing" : "reading"; }

std::string head_name(const std::optional<std::int64_t>& head) {
  return head ? fmt::format("head {}", *head + 1) : "the mean of the heads";
}

}  // namespace

GoldAlignment parse_alignment(std::string_view line, std::int64_t base, std::string_view name) {
  GoldAlignment gold;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty()) {
      break;
    }
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    const ReadLink read = read_link(word, base, name);
    gold.possible.push_back(read.link);
    if (read.sure) {
      gold.sure.push_back(read.link);
    }
    line.remove_prefix(word.size());
  }
  sort_once(gold.sure);
  sort_once(gold.possible);
  return gold;
}

std::int64_t drop_outside(GoldAlignment& gold, std::int64_t source_words,
                          std::int64_t target_words) {
  const auto outside = [&](const AlignmentLink& link) {
    return link.source >= source_words || link.target >= target_words;
  };
  std::erase_if(gold.sure, outside);
  return static_cast<std::int64_t>(std::erase_if(gold.possible, outside));
}

std::vector<AlignmentLink> hard_alignment(std::span<const float> weights, std::int64_t source_words,
                                          std::int64_t target_words) {
  std::vector<AlignmentLink> links;
  for (std::int64_t target = 0; target < target_words && source_words > 0; ++target) {
    const auto begin = weights.begin() + target * source_words;
    const auto best = std::max_element(begin, begin + source_words);
    if (*best > 0) {
      links.push_back({best - begin, target});
    }
  }
  return links;
}

void AlignmentScore::add(const std::vector<AlignmentLink>& found, const GoldAlignment& gold) {
  links += static_cast<std::int64_t>(found.size());
  sure += static_cast<std::int64_t>(gold.sure.size());
  in_sure += count_in(found, gold.sure);
  in_possible += count_in(found, gold.possible);
}

double AlignmentScore::precision() const { return ratio(in_possible, links); }
double AlignmentScore::recall() const { return ratio(in_sure, sure); }
double AlignmentScore::error_rate() const {
  return links + sure == 0 ? 0.0 : 1.0 - ratio(in_sure + in_possible, links + sure);
}

void AlignmentScores::add(const AttentionMaps& maps, const WordTokens& source,
                          const WordTokens& target, const GoldAlignment& gold) {
  std::size_t next = 0;
  const auto add_one = [&](std::int64_t layer, std::optional<std::int64_t> head,
                           std::span<const float> weights) {
    for (const AlignAt at : {AlignAt::writing, AlignAt::reading}) {
      if (next == entries_.size()) {
        entries_.push_back({layer, head, at, {}});
      }
      const std::vector<float> words = word_attention(weights, source, target, at);
      entries_[next++].score.add(
          hard_alignment(words, static_cast<std::int64_t>(source.words.size()),
                         static_cast<std::int64_t>(target.words.size())),
          gold);
    }
  };
  for (std::int64_t layer = 0; layer < maps.layers(AttentionPart::cross); ++layer) {
    const AttentionMap& map = maps.at(AttentionPart::cross, layer);
    for (std::int64_t head = 0; head < map.heads; ++head) {
      add_one(layer, head, map.head(head));
    }
    add_one(layer, std::nullopt, map.mean());
  }
}

const AlignmentScores::Entry* AlignmentScores::best() const {
  const auto found = std::min_element(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.score.error_rate() < b.score.error_rate(); });
  return found == entries_.end() ? nullptr : &*found;
}

std::string alignment_table(const AlignmentScores& scores) {
  std::string out;
  for (const AlignAt at : {AlignAt::writing, AlignAt::reading}) {
    out += fmt::format("alignment error rate (%), attention at {} the target word\n{:>5}",
                       name_of(at), "layer");
    std::string lines;
    for (const AlignmentScores::Entry& entry : scores.entries()) {
      if (entry.at != at) {
        continue;
      }
      if (entry.layer == 0) {
        out += entry.head ? fmt::format(" {:>7}", fmt::format("head {}", *entry.head + 1))
                          : fmt::format(" {:>7}", "mean");
      }
      if (entry.head == 0) {
        lines += fmt::format("\n{:>5}", entry.layer + 1);
      }
      lines += fmt::format(" {:>7.1f}", 100 * entry.score.error_rate());
    }
    out += lines + "\n\n";
  }
  if (const AlignmentScores::Entry* best = scores.best(); best != nullptr) {
    out += fmt::format(
        "best: layer {}, {}, at {}: error rate {:.1f} %, precision {:.1f} %, recall {:.1f} %\n",
        best->layer + 1, head_name(best->head), name_of(best->at), 100 * best->score.error_rate(),
        100 * best->score.precision(), 100 * best->score.recall());
  }
  return out;
}

Json alignment_json(const AlignmentScores& scores) {
  Json array = Json::array();
  for (const AlignmentScores::Entry& entry : scores.entries()) {
    Json object{{"layer", entry.layer + 1}};
    object["head"] = entry.head ? Json(*entry.head + 1) : Json("mean");
    object["at"] = name_of(entry.at);
    object["error_rate"] = entry.score.error_rate();
    object["precision"] = entry.score.precision();
    object["recall"] = entry.score.recall();
    object["links"] = entry.score.links;
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace yona
