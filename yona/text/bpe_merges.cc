#include "yona/text/bpe_merges.h"

#include <algorithm>
#include <queue>

#include "yona/base/error.h"

namespace yona {

namespace {

std::uint64_t key_of(std::int32_t left, std::int32_t right) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U) |
         static_cast<std::uint32_t>(right);
}

// A symbol in a chain from which merged neighbours are taken out.
struct Link {
  std::int32_t id;  // -1: taken out
  std::int32_t before, after;
};

// A pair that may be merged, as it was when it was found.
struct Chance {
  std::int32_t rank, at, left, right, result;

  bool operator<(const Chance& other) const {  // the strongest and leftmost is the greatest
    return rank != other.rank ? rank > other.rank : at > other.at;
  }
};

}  // namespace

BpeMerges::BpeMerges(const std::vector<Pair>& merges, const Vocabulary& vocabulary,
                     std::string_view name, std::string_view continuation_mark) {
  merges_.reserve(merges.size());
  const auto id_of = [&](std::string_view piece, std::size_t line) {
    const auto id = vocabulary.find(piece);
    check<FormatError>(id.has_value(), "{}: merge {}: '{}' is not in the vocabulary", name,
                       line + 1, piece);
    return *id;
  };
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto& [left, right] = merges[i];
    const auto key = key_of(id_of(left, i), id_of(right, i));
    const std::size_t mark = right.starts_with(continuation_mark) ? continuation_mark.size() : 0;
    merges_.insert_or_assign(
        key, Merge{static_cast<std::int32_t>(i), id_of(left + right.substr(mark), i)});
  }
}

const BpeMerges::Merge* BpeMerges::find(std::int32_t left, std::int32_t right) const {
  const auto found = merges_.find(key_of(left, right));
  return found == merges_.end() ? nullptr : &found->second;
}

void BpeMerges::merge(std::vector<std::int32_t>& symbols) const {
  std::vector<Link> chain;
  for (const std::int32_t id : symbols) {
    const auto at = static_cast<std::int32_t>(chain.size());
    chain.push_back({id, at - 1, at + 1});
  }
  const auto count = static_cast<std::int32_t>(chain.size());
  std::priority_queue<Chance> chances;
  const auto consider = [&](std::int32_t at) {
    if (at < 0 || chain[at].after >= count) {
      return;
    }
    const Link& left = chain[at];
    const std::int32_t right = chain[left.after].id;
    if (const Merge* merge = find(left.id, right)) {
      chances.push({merge->rank, at, left.id, right, merge->result});
    }
  };
  for (std::int32_t at = 0; at < count; ++at) {
    consider(at);
  }
  while (!chances.empty()) {
    const Chance best = chances.top();
    chances.pop();
    Link& left = chain[best.at];
    const std::int32_t after = left.after;
    if (left.id != best.left || after >= count || chain[after].id != best.right) {
      continue;  // one of the two has been merged since
    }
    left.id = best.result;
    left.after = chain[after].after;
    chain[after].id = -1;
    if (left.after < count) {
      chain[left.after].before = best.at;
    }
    consider(best.at);
    consider(left.before);
  }
  symbols.clear();
  for (const Link& link : chain) {
    if (link.id >= 0) {
      symbols.push_back(link.id);
    }
  }
}

std::vector<BpeMerges::Pair> parse_merges(std::string_view text, std::string_view name) {
  std::vector<BpeMerges::Pair> merges;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.ends_with('\r')) {
      content.remove_suffix(1);
    }
    if (content.empty() || (line == 1 && content.starts_with("#version"))) {
      continue;
    }
    const std::size_t space = content.find(' ');
    check<FormatError>(space != std::string_view::npos && space > 0 && space + 1 < content.size() &&
                           content.find(' ', space + 1) == std::string_view::npos,
                       "{}:{}: '{}' is not two pieces with a space between", name, line, content);
    merges.emplace_back(content.substr(0, space), content.substr(space + 1));
  }
  return merges;
}

}  // namespace yona
