// Attention by random features (performer_args.h), as plain loops over all pairs: not linear.

#include <cmath>
#include <vector>

#include "yona/backend/reference/attention_row.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/reference/performer_score.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
class PerformerRow {
 public:
  PerformerRow(const AttentionArgs& args, const View& features)
      : args_(args), features_(features), root_(std::sqrt(double{args.scale})) {}

  // The scores of the keys that query i sees.
  std::vector<double>& scores(const AttentionSentence& sentence, std::int64_t i,
                              std::int64_t head) {
    const T* q = args_.q.row<T>(sentence.first_query + i) + head * args_.d_k;
    scores_.resize(static_cast<std::size_t>(sentence.visible(i)));
    for (std::size_t j = 0; j < scores_.size(); ++j) {
      scores_[j] = performer_score(features_, root_, q, key(args_.k, sentence, j, head), shares_);
    }
    return scores_;
  }

  // With p_r the share of feature r in the score of a pair:
  //   dq' += ds Σ_r p_r ω_r;   dk' += ds (Σ_r p_r ω_r - k')
  void add_gradients(const AttentionBackwardArgs& args, const AttentionSentence& sentence,
                     std::int64_t i, std::int64_t head) {
    const T* q = args_.q.row<T>(sentence.first_query + i) + head * args_.d_k;
    T* dq = args.dq.row<T>(sentence.first_query + i) + head * args_.d_k;
    for (std::size_t j = 0; j < scores_.size(); ++j) {
      const T* k = key(args_.k, sentence, j, head);
      T* dk = key(args.dk, sentence, j, head);
      performer_score(features_, root_, q, k, shares_);
      for (std::int64_t c = 0; c < args_.d_k; ++c) {
        double mean = 0;
        for (std::int64_t r = 0; r < features_.rows; ++r) {
          mean += shares_[static_cast<std::size_t>(r)] * features_.row<T>(r)[c];
        }
        dq[c] += static_cast<T>(root_ * scores_[j] * mean);
        dk[c] += static_cast<T>(root_ * scores_[j] * (mean - root_ * k[c]));
      }
    }
  }

 private:
  T* key(const View& rows, const AttentionSentence& sentence, std::size_t j,
         std::int64_t head) const {
    return rows.row<T>(sentence.first_key + static_cast<std::int64_t>(j)) +
           args_.kv_head(head) * args_.d_k;
  }

  const AttentionArgs& args_;
  const View& features_;
  double root_;
  std::vector<double> scores_, shares_;
};

void performer_attention(const PerformerAttentionArgs& args, Exec& /*exec*/) {
  with_type(args.attention.q.dtype, "performer_attention", [&](auto zero) {
    using T = decltype(zero);
    PerformerRow<T> row(args.attention, args.features);
    for_each_attention_row(
        args.attention, [&](const AttentionSentence& sentence, std::int64_t i, std::int64_t head) {
          attention_row<T>(args.attention, sentence, i, head, row.scores(sentence, i, head));
        });
  });
}

void performer_attention_backward(const PerformerAttentionBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.attention.forward.q.dtype, "performer_attention_backward", [&](auto zero) {
    using T = decltype(zero);
    clear_gradients<T>(args.attention);
    PerformerRow<T> row(args.attention.forward, args.features);
    for_each_attention_row(args.attention.forward, [&](const AttentionSentence& sentence,
                                                       std::int64_t i, std::int64_t head) {
      std::vector<double>& scores = row.scores(sentence, i, head);
      attention_row_backward<T>(args.attention, sentence, i, head, scores);
      row.add_gradients(args.attention, sentence, i, head);
    });
  });
}

void performer_attention_weights(const PerformerAttentionWeightsArgs& args, Exec& /*exec*/) {
  const AttentionArgs& in = args.attention.attention;
  with_type(in.q.dtype, "performer_attention_weights", [&](auto zero) {
    using T = decltype(zero);
    PerformerRow<T> row(in, args.features);
    T* weights = args.attention.weights.row<T>(0);
    for_each_attention_row(
        in, [&](const AttentionSentence& sentence, std::int64_t i, std::int64_t head) {
          write_weights_row(sentence, row.scores(sentence, i, head), weights);
        });
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.performer_attention = performer_attention;
  table.performer_attention_backward = performer_attention_backward;
  table.performer_attention_weights = performer_attention_weights;
});

}  // namespace

}  // namespace yona::reference
