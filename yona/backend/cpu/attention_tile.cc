// Units of work and arguments of attention, for all its CPU kernels.

#include "yona/backend/cpu/attention_tile.h"

#include <array>

namespace yona::cpu {

namespace {

constexpr std::int64_t kFewUnits = 32;  // enough for any number of threads that we expect

}  // namespace

std::span<const std::int64_t> query_cuts(const AttentionPattern& pattern, std::int64_t queries,
                                         std::int64_t keys, std::int64_t most) {
  static thread_local std::vector<std::int64_t> cuts;
  cuts.assign(1, 0);
  const std::int64_t shift = keys - queries;  // from a query to its position
  for (std::int64_t begin = 0; begin < queries;) {
    const std::int64_t block_end =
        pattern.has_blocks() ? ((begin + shift) / pattern.block + 1) * pattern.block - shift
                             : queries;
    const std::int64_t end = std::min(block_end, queries);
    const EvenParts parts(end - begin, most);
    for (std::int64_t part = 1; part <= parts.count(); ++part) {
      cuts.push_back(begin + parts.begin(part));
    }
    begin = end;
  }
  return cuts;
}

std::span<const KeyRange> key_ranges(const AttentionPattern& pattern,
                                     const AttentionSentence& sentence, std::int64_t first,
                                     std::int64_t count) {
  static thread_local std::vector<KeyRange> ranges;
  ranges.clear();
  const std::int64_t end = count == 0 ? 0 : sentence.visible(first + count - 1);
  const std::int64_t begin = count == 0 ? 0 : sentence.first_visible(first);
  if (!pattern.has_blocks()) {
    if (begin < end) {
      ranges.push_back({begin, end});
    }
    return ranges;
  }
  const std::int64_t block = pattern.block;
  const std::int64_t blocks = (sentence.keys + block - 1) / block;
  const std::int64_t query_block = sentence.position(first) / block;
  for (std::int64_t b = 0; b * block < end; ++b) {
    if (!pattern.lists(query_block, b, blocks)) {
      continue;
    }
    const KeyRange keys{b * block, std::min((b + 1) * block, end)};
    if (!ranges.empty() && ranges.back().end == keys.begin) {
      ranges.back().end = keys.end;
    } else {
      ranges.push_back(keys);
    }
  }
  return ranges;
}

const std::vector<AttentionUnit>& attention_units(const AttentionArgs& args,
                                                  std::int64_t most_queries,
                                                  std::int64_t together) {
  static thread_local std::vector<AttentionUnit> units;
  units.clear();
  std::int64_t group = kDropoutHeads;
  while (group > 1 && args.sentences * ((args.heads + group - 1) / group) < kFewUnits) {
    group /= 2;
  }
  group = (group + together - 1) / together * together;
  for (std::int64_t sentence = 0; sentence < args.sentences; ++sentence) {
    const std::int64_t queries = args.q_offsets[sentence + 1] - args.q_offsets[sentence];
    const std::int64_t keys = args.k_offsets[sentence + 1] - args.k_offsets[sentence];
    const std::array<std::int64_t, 2> whole{0, queries};
    const std::span<const std::int64_t> cuts =
        most_queries == kWholeSentences && queries > 0
            ? std::span<const std::int64_t>(whole)
            : query_cuts(args.pattern, queries, keys, most_queries);
    for (std::int64_t head = 0; head < args.heads; head += group) {
      const std::int64_t head_end = std::min(head + group, args.heads);
      for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
        units.push_back({sentence, head, head_end, cuts[part], cuts[part + 1]});
      }
      if (queries == 0) {  // its keys still get a gradient of zero
        units.push_back({sentence, head, head_end, 0, 0});
      }
    }
  }
  return units;
}

std::vector<float*> sentence_weights(const AttentionWeightsArgs& args) {
  std::vector<float*> begins;
  begins.reserve(static_cast<std::size_t>(args.attention.sentences));
  float* begin = args.weights.row<float>(0);
  for (std::int64_t s = 0; s < args.attention.sentences; ++s) {
    const AttentionSentence sentence(args.attention, s);
    begins.push_back(begin);
    begin += args.attention.heads * sentence.queries * sentence.keys;
  }
  return begins;
}

AttentionBackwardArgs without_aliases(AttentionBackwardArgs args) {
  const auto share = [](const View& a, const View& b) { return a.data == b.data; };
  if (share(args.dq, args.dk) || share(args.dq, args.dv) || share(args.dk, args.dv)) {
    const auto clear = [](const View& view, bool& accumulate) {
      for (std::int64_t row = 0; row < view.rows && !accumulate; ++row) {
        std::fill_n(view.row<float>(row), view.cols, 0.0F);
      }
      accumulate = true;
    };
    clear(args.dq, args.accumulate_dq);
    clear(args.dk, args.accumulate_dk);
    clear(args.dv, args.accumulate_dv);
  }
  return args;
}

}  // namespace yona::cpu
