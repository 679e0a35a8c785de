#include "yona/score/bracket_match.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "yona/score/bracket_scan.h"
#include "yona/text/display.h"

namespace yona {

namespace {

using Bracket = ScannedTree::Bracket;
using Fault = ScannedTree::Fault;

// EQ_LABEL ADVP PRT
std::string_view label_class(std::string_view label) { return label == "PRT" ? "ADVP" : label; }

// Those that count, their labels cut and made equal where they are.
std::vector<Bracket> counted_brackets(const ScannedTree& tree) {
  std::vector<Bracket> counted;
  for (Bracket bracket : tree.brackets) {
    bracket.label = bracket.label.substr(0, bracket.label.find_first_of("-="));
    if (bracket.begin != bracket.end && !is_ignored_label(bracket.label)) {
      bracket.label = label_class(bracket.label);
      counted.push_back(bracket);
    }
  }
  return counted;
}

// A constituent that stands n times here and m times there over the same words counts min(n, m)
// times.
std::int64_t matches(std::vector<Bracket> test, std::vector<Bracket> gold) {
  const auto key = [](const Bracket& b) { return std::tie(b.begin, b.end, b.label); };
  const auto before = [&](const Bracket& a, const Bracket& b) { return key(a) < key(b); };
  std::sort(test.begin(), test.end(), before);
  std::sort(gold.begin(), gold.end(), before);
  std::int64_t matched = 0;
  for (auto t = test.begin(), g = gold.begin(); t != test.end() && g != gold.end();) {
    if (before(*t, *g)) {
      ++t;
    } else if (before(*g, *t)) {
      ++g;
    } else {
      ++matched, ++t, ++g;
    }
  }
  return matched;
}

// Constituents of the parser that some gold constituent crosses. A gold one [a, b) crosses [s, e)
// when a < s < b < e or s < a < e < b. Of all gold ones with a < x < b the innermost has the least
// b and the greatest a, so it alone is looked at for x = s and x = e.
std::int64_t crossings(const std::vector<Bracket>& test, const std::vector<Bracket>& gold,
                       std::size_t words) {
  std::vector<const Bracket*> innermost(words + 1);
  std::vector<const Bracket*> open;
  auto next = gold.begin();
  for (std::int64_t x = 1; x < static_cast<std::int64_t>(words); ++x) {
    for (; next != gold.end() && next->begin < x; ++next) {
      open.push_back(&*next);
    }
    while (!open.empty() && open.back()->end <= x) {
      open.pop_back();
    }
    innermost[static_cast<std::size_t>(x)] = open.empty() ? nullptr : open.back();
  }
  std::int64_t count = 0;
  for (const Bracket& bracket : test) {
    if (bracket.end < bracket.begin) {
      continue;  // never closed
    }
    const Bracket* at_begin = innermost[static_cast<std::size_t>(bracket.begin)];
    const Bracket* at_end = innermost[static_cast<std::size_t>(bracket.end)];
    const bool crosses = (at_begin != nullptr && at_begin->end < bracket.end) ||
                         (at_end != nullptr && at_end->begin > bracket.begin);
    count += crosses ? 1 : 0;
  }
  return count;
}

std::string quoted(std::string_view word) {
  return fmt::format("'{}'", cut_to_width(printable(word), 40));
}

// Why the trees cannot be compared; "" where they can.
std::string mismatch(const ScannedTree& test, const ScannedTree& gold) {
  if (test.words.size() != gold.words.size()) {
    return fmt::format("there are {} words, {} in the gold tree (punctuation left out by its tags)",
                       test.words.size(), gold.words.size());
  }
  for (std::size_t i = 0; i < test.words.size(); ++i) {
    if (test.words[i].text != gold.words[i].text) {
      return fmt::format("word {} is {}, {} in the gold tree", i + 1, quoted(test.words[i].text),
                         quoted(gold.words[i].text));
    }
  }
  return "";
}

bool is_readable(const ScannedTree& tree) {
  return tree.fault == Fault::none || tree.fault == Fault::unclosed;
}

void count_everything(const ScannedTree& test, const ScannedTree& gold, BracketCounts& counts) {
  const std::vector<Bracket> test_brackets = counted_brackets(test);
  const std::vector<Bracket> gold_brackets = counted_brackets(gold);
  counts.test = static_cast<std::int64_t>(test_brackets.size());
  counts.gold = static_cast<std::int64_t>(gold_brackets.size());
  counts.matched = matches(test_brackets, gold_brackets);
  counts.crossing = crossings(test_brackets, gold_brackets, gold.words.size());
  counts.words = static_cast<std::int64_t>(gold.words.size());
  for (std::size_t i = 0; i < gold.words.size(); ++i) {
    const bool agrees = label_class(test.words[i].tag) == label_class(gold.words[i].tag);
    counts.correct_tags += agrees ? 1 : 0;
  }
}

}  // namespace

BracketCounts compare_brackets(std::string_view test_line, std::string_view gold_line) {
  const ScannedTree test = scan_brackets(test_line);
  const ScannedTree gold = scan_brackets(gold_line);
  BracketCounts counts;
  counts.length = static_cast<std::int64_t>(gold.length);
  if (test.words.empty() && is_readable(test)) {
    counts.status = SentenceStatus::skipped;
    return counts;
  }
  if (gold.fault != Fault::none || test.fault != Fault::none) {
    counts.status = SentenceStatus::error;
    counts.reason = gold.fault != Fault::none
                        ? fmt::format("in the gold tree {}", description(gold.fault))
                        : std::string(description(test.fault));
  }
  if (!is_readable(test) || !is_readable(gold)) {
    return counts;
  }
  if (std::string reason = mismatch(test, gold); !reason.empty()) {
    counts.status = SentenceStatus::error;
    counts.reason = std::move(reason);
    return counts;
  }
  count_everything(test, gold, counts);
  return counts;
}

}  // namespace yona
