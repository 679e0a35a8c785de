#include "yona/backend/cpu/attention_phases.h"

#include <algorithm>
#include <array>
#include <vector>

#include "yona/backend/attention_sentence.h"

namespace yona::cpu {

namespace {

// Every step-th token of a range.
struct PhaseRows {
  std::int64_t first = 0;  // row of the whole call
  std::int64_t count = 0;
  std::int64_t step = 1;

  PhaseRows(std::int64_t begin, std::int64_t tokens, std::int64_t offset, std::int64_t dilation)
      : first(begin + offset),
        count(tokens > offset ? (tokens - offset - 1) / dilation + 1 : 0),
        step(dilation) {}

  View of(View view) const {
    if (view) {
      view.data = static_cast<char*>(view.data) +
                  first * view.stride * static_cast<std::int64_t>(size_of(view.dtype));
      view.rows = count;
      view.stride *= step;
    }
    return view;
  }
};

// One phase of one sentence, with the memory that its arguments point at.
struct PhaseProblem {
  PhaseProblem(const AttentionBackwardArgs& given, std::int64_t s, std::int64_t phase) {
    const AttentionSentence sentence(given.forward, s);
    const std::int64_t dilation = given.forward.pattern.dilation;
    const std::int64_t shift = sentence.keys - sentence.queries;  // from a query to its position
    const std::int64_t first_query = ((phase - shift) % dilation + dilation) % dilation;
    const PhaseRows queries(sentence.first_query, sentence.queries, first_query, dilation);
    const PhaseRows keys(sentence.first_key, sentence.keys, phase, dilation);
    q_offsets_ = {0, queries.count};
    k_offsets_ = {0, keys.count};
    args = given;
    set_forward(queries, keys);
    args.forward.pattern.dilation = 1;
    args.forward.pattern.phase = phase;
    args.forward.pattern.step = dilation;
    args.dout = queries.of(given.dout);
    args.dq = queries.of(given.dq);
    args.dk = keys.of(given.dk);
    args.dv = keys.of(given.dv);
  }

  AttentionBackwardArgs args;

 private:
  void set_forward(const PhaseRows& queries, const PhaseRows& keys) {
    AttentionArgs& forward = args.forward;
    forward.q = queries.of(forward.q);
    forward.k = keys.of(forward.k);
    forward.v = keys.of(forward.v);
    forward.out = queries.of(forward.out);
    forward.lse = queries.of(forward.lse);
    forward.q_offsets = q_offsets_.data();
    forward.k_offsets = k_offsets_.data();
    forward.sentences = 1;
    forward.longest_q = queries.count;
    forward.longest_k = keys.count;
    if (forward.dropout) {
      for (std::int64_t query = 0; query < queries.count; ++query) {
        query_keys_.push_back(forward.q_keys[queries.first + query * queries.step]);
      }
      forward.q_keys = query_keys_.data();
    }
  }

  std::array<std::int64_t, 2> q_offsets_{}, k_offsets_{};
  std::vector<std::uint64_t> query_keys_;
};

}  // namespace

void for_each_phase(const AttentionBackwardArgs& args,
                    const std::function<void(const AttentionBackwardArgs&)>& function) {
  for (std::int64_t sentence = 0; sentence < args.forward.sentences; ++sentence) {
    const AttentionSentence of(args.forward, sentence);
    const std::int64_t phases =
        std::min(args.forward.pattern.dilation, std::max(of.queries, of.keys));
    for (std::int64_t phase = 0; phase < phases; ++phase) {
      function(PhaseProblem(args, sentence, phase).args);
    }
  }
}

}  // namespace yona::cpu
