// One query of one head, after its scores are known: what scaled dot-product and additive attention
// share. Sums run in double, whatever the type of the data.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "yona/backend/attention_sentence.h"
#include "yona/backend/kernel_args.h"

namespace yona::reference {

// Calls function(sentence, query, head) for every query.
template <class Function>
void for_each_attention_row(const AttentionArgs& args, const Function& function) {
  for (std::int64_t s = 0; s < args.sentences; ++s) {
    const AttentionSentence sentence(args, s);
    for (std::int64_t head = 0; head < args.heads; ++head) {
      for (std::int64_t i = 0; i < sentence.queries; ++i) {
        function(sentence, i, head);
      }
    }
  }
}

// What dropout makes of the weight of key j: 0, or the scale of those that stay.
inline double dropout_factor(const AttentionArgs& args, const AttentionSentence& sentence,
                             std::int64_t i, std::int64_t j, std::int64_t head) {
  if (!args.dropout) {
    return 1.0;
  }
  const std::uint64_t query_key = args.q_keys[sentence.first_query + i];
  return keeps_weight(args.dropout, query_key, j, head) ? double{args.dropout.scale} : 0.0;
}

// scores ← softmax(scores); gives the log of the denominator, -infinity where there are none.
inline double softmax_in_place(std::vector<double>& scores) {
  if (scores.empty()) {
    return -std::numeric_limits<double>::infinity();
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& score : scores) {
    score = std::exp(score - largest);
    sum += score;
  }
  for (double& score : scores) {
    score /= sum;
  }
  return largest + std::log(sum);
}

// From the scores of the keys that query i sees (their number is scores.size()):
//   p = softmax(scores);  out = Σ_j dropout(p_j) v_j;  lse = log Σ exp(scores)
template <class T>
void attention_row(const AttentionArgs& args, const AttentionSentence& sentence, std::int64_t i,
                   std::int64_t head, std::vector<double>& scores) {
  const std::int64_t row = sentence.first_query + i;
  args.lse.row<T>(row)[head] = static_cast<T>(softmax_in_place(scores));
  std::vector<double> total(static_cast<std::size_t>(args.d_v), 0.0);
  for (std::size_t index = 0; index < scores.size(); ++index) {
    const auto j = static_cast<std::int64_t>(index);
    const double kept = scores[index] * dropout_factor(args, sentence, i, j, head);
    const T* v = args.v.row<T>(sentence.first_key + j) + args.kv_head(head) * args.d_v;
    for (std::int64_t c = 0; c < args.d_v; ++c) {
      total[static_cast<std::size_t>(c)] += kept * v[c];
    }
  }
  std::copy(total.begin(), total.end(), args.out.row<T>(row) + head * args.d_v);
}

// The softmax alone, row after row: `weights` points at this row and goes on to the next.
template <class T>
void write_weights_row(const AttentionSentence& sentence, std::vector<double>& scores,
                       T*& weights) {
  softmax_in_place(scores);
  scores.resize(static_cast<std::size_t>(sentence.keys));  // unseen keys have weights of zero
  weights = std::transform(scores.begin(), scores.end(), weights,
                           [](double p) { return static_cast<T>(p); });
}

// The backward pass up to the scores. With p = softmax(scores) and m_j what dropout multiplies by,
//   dv_j += m_j p_j dout;  dp_j = m_j dout·v_j;  dscores_j = p_j (dp_j - Σ_l p_l dp_l)
// `scores` becomes dscores.
template <class T>
void attention_row_backward(const AttentionBackwardArgs& args, const AttentionSentence& sentence,
                            std::int64_t i, std::int64_t head, std::vector<double>& scores) {
  const AttentionArgs& forward = args.forward;
  const T* dout = args.dout.row<T>(sentence.first_query + i) + head * forward.d_v;
  softmax_in_place(scores);
  std::vector<double> dp(scores.size());
  double mean = 0;
  for (std::size_t index = 0; index < scores.size(); ++index) {
    const auto j = static_cast<std::int64_t>(index);
    const double p = scores[index];
    const double factor = dropout_factor(forward, sentence, i, j, head);
    const T* v = forward.v.row<T>(sentence.first_key + j) + forward.kv_head(head) * forward.d_v;
    T* dv = args.dv.row<T>(sentence.first_key + j) + forward.kv_head(head) * forward.d_v;
    double dot = 0;
    for (std::int64_t c = 0; c < forward.d_v; ++c) {
      dot += double{dout[c]} * v[c];
      dv[c] += static_cast<T>(factor * p * dout[c]);
    }
    dp[index] = factor * dot;
    mean += p * dp[index];
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    scores[j] *= dp[j] - mean;
  }
}

// Outputs that are not added to start at zero.
template <class T>
void clear_unless(bool accumulate, const View& view) {
  for (std::int64_t row = 0; row < view.rows && !accumulate; ++row) {
    std::fill_n(view.row<T>(row), view.cols, T{0});
  }
}

template <class T>
void clear_gradients(const AttentionBackwardArgs& args) {
  clear_unless<T>(args.accumulate_dq, args.dq);
  clear_unless<T>(args.accumulate_dk, args.dk);
  clear_unless<T>(args.accumulate_dv, args.dv);
}

}  // namespace yona::reference
