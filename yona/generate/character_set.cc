#include "yona/generate/character_set.h"

#include <algorithm>
#include <array>
#include <utility>

namespace yona {

namespace {

constexpr std::uint32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

std::vector<std::uint32_t> utf8_of(std::uint32_t c) {
  if (c < 0x80) {
    return {c};
  }
  if (c < 0x800) {
    return {0xC0 | c >> 6U, 0x80 | (c & 0x3FU)};
  }
  if (c < 0x10000) {
    return {0xE0 | c >> 12U, 0x80 | (c >> 6U & 0x3FU), 0x80 | (c & 0x3FU)};
  }
  return {0xF0 | c >> 18U, 0x80 | (c >> 12U & 0x3FU), 0x80 | (c >> 6U & 0x3FU), 0x80 | (c & 0x3FU)};
}

// A range is one sequence of byte ranges if, from the first byte in which its ends differ, the
// following bytes have all values. It is split where this does not hold.
void append_utf8(std::uint32_t first, std::uint32_t last, std::vector<ByteRanges>& out) {
  constexpr std::array<std::uint32_t, 3> kLastOfLength = {0x7F, 0x7FF, 0xFFFF};
  for (const std::uint32_t end : kLastOfLength) {
    if (first <= end && end < last) {
      append_utf8(first, end, out);
      append_utf8(end + 1, last, out);
      return;
    }
  }
  const std::size_t following = utf8_of(first).size() - 1;
  for (std::size_t i = 1; i <= following; ++i) {
    const std::uint32_t low = (1U << (6 * i)) - 1;  // the bits of the last i bytes
    if ((first & ~low) == (last & ~low)) {
      continue;
    }
    if ((first & low) != 0) {
      append_utf8(first, first | low, out);
      append_utf8((first | low) + 1, last, out);
      return;
    }
    if ((last & low) != low) {
      append_utf8(first, (last & ~low) - 1, out);
      append_utf8(last & ~low, last, out);
      return;
    }
  }
  const std::vector<std::uint32_t> from = utf8_of(first);
  const std::vector<std::uint32_t> to = utf8_of(last);
  ByteRanges sequence;
  for (std::size_t i = 0; i < from.size(); ++i) {
    sequence.push_back({from[i], to[i]});
  }
  out.push_back(std::move(sequence));
}

}  // namespace

CharacterSet::CharacterSet(std::initializer_list<Range> ranges) : ranges_(ranges) { normalise(); }

CharacterSet::CharacterSet(std::vector<Range> ranges) : ranges_(std::move(ranges)) { normalise(); }

CharacterSet CharacterSet::all() { return {{0, kLastCharacter}}; }

void CharacterSet::add(std::uint32_t first, std::uint32_t last) {
  ranges_.push_back({first, last});
  normalise();
}

void CharacterSet::add(const CharacterSet& other) {
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  normalise();
}

void CharacterSet::normalise() {
  std::vector<Range> split;
  for (const Range& range : ranges_) {
    const std::uint32_t last = std::min(range.last, kLastCharacter);
    if (range.first < kFirstSurrogate && range.first <= last) {
      split.push_back({range.first, std::min(last, kFirstSurrogate - 1)});
    }
    if (last > kLastSurrogate && range.first <= last) {
      split.push_back({std::max(range.first, kLastSurrogate + 1), last});
    }
  }
  std::sort(split.begin(), split.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  ranges_.clear();
  for (const Range& range : split) {
    if (!ranges_.empty() && range.first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, range.last);
    } else {
      ranges_.push_back(range);
    }
  }
}

CharacterSet CharacterSet::complement() const {
  CharacterSet result;
  std::uint32_t next = 0;
  for (const Range& range : ranges_) {
    if (range.first > next) {
      result.ranges_.push_back({next, range.first - 1});
    }
    next = range.last + 1;
  }
  if (next <= kLastCharacter) {
    result.ranges_.push_back({next, kLastCharacter});
  }
  result.normalise();
  return result;
}

CharacterSet CharacterSet::without(const CharacterSet& other) const {
  return in_common_with(other.complement());
}

CharacterSet CharacterSet::in_common_with(const CharacterSet& other) const {
  CharacterSet result;
  for (auto a = ranges_.begin(), b = other.ranges_.begin();
       a != ranges_.end() && b != other.ranges_.end();) {
    const std::uint32_t first = std::max(a->first, b->first);
    const std::uint32_t last = std::min(a->last, b->last);
    if (first <= last) {
      result.ranges_.push_back({first, last});
    }
    a->last < b->last ? ++a : ++b;
  }
  return result;
}

bool CharacterSet::has(std::uint32_t character) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return range.first <= character && character <= range.last;
  });
}

std::vector<ByteRanges> utf8_ranges(const CharacterSet& set) {
  std::vector<ByteRanges> out;
  for (const CharacterSet::Range& range : set.ranges()) {
    append_utf8(range.first, range.last, out);
  }
  return out;
}

}  // namespace yona
