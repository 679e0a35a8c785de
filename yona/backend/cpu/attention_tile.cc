// Units of work and arguments of attention, for all its CPU kernels.

#include "yona/backend/cpu/attention_tile.h"

namespace yona::cpu {

namespace {

constexpr std::int64_t kFewUnits = 32;  // enough for any number of threads that we expect

}  // namespace

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
    const EvenParts parts(queries, most_queries);
    for (std::int64_t head = 0; head < args.heads; head += group) {
      const std::int64_t head_end = std::min(head + group, args.heads);
      for (std::int64_t part = 0; part < parts.count(); ++part) {
        units.push_back({sentence, head, head_end, parts.begin(part), parts.begin(part + 1)});
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
