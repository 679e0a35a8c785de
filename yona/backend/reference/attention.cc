// Scaled dot-product attention (Vaswani et al. 2017, eq. 1) over ragged sentences, as plain loops:
//   out = dropout(softmax(scale · q kᵀ + bias)) v, per sentence and head.

#include <algorithm>
#include <limits>
#include <vector>

#include "yona/backend/reference/attention_row.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// The column of the bias for a distance, clipped to [-R, R].
std::int64_t bias_column(const View& bias, std::int64_t distance) {
  const std::int64_t reach = bias.cols / 2;
  return std::clamp(distance, -reach, reach) + reach;
}

// Keys that the pattern hides have a score of -infinity, and so a weight of zero.
template <class T>
void score_row(const AttentionArgs& args, const AttentionSentence& sentence, std::int64_t i,
               std::int64_t head, std::vector<double>& scores) {
  const T* q = args.q.row<T>(sentence.first_query + i) + head * args.d_k;
  scores.resize(static_cast<std::size_t>(sentence.visible(i)));
  for (std::size_t index = 0; index < scores.size(); ++index) {
    const auto j = static_cast<std::int64_t>(index);
    if (!args.pattern.sees(sentence.position(i), j, sentence.keys)) {
      scores[index] = -std::numeric_limits<double>::infinity();
      continue;
    }
    const T* k = args.k.row<T>(sentence.first_key + j) + args.kv_head(head) * args.d_k;
    double dot = 0;
    for (std::int64_t c = 0; c < args.d_k; ++c) {
      dot += double{q[c]} * k[c];
    }
    scores[index] = args.scale * dot;
    if (args.bias) {
      scores[index] += args.bias.row<T>(head)[bias_column(args.bias, j - sentence.position(i))];
    }
  }
}

template <class T>
void forward(const AttentionArgs& args) {
  std::vector<double> scores;
  for_each_attention_row(args,
                         [&](const AttentionSentence& sentence, std::int64_t i, std::int64_t head) {
                           score_row<T>(args, sentence, i, head, scores);
                           attention_row<T>(args, sentence, i, head, scores);
                         });
}

template <class T>
void weigh(const AttentionWeightsArgs& args) {
  std::vector<double> scores;
  T* weights = args.weights.row<T>(0);
  for_each_attention_row(args.attention,
                         [&](const AttentionSentence& sentence, std::int64_t i, std::int64_t head) {
                           score_row<T>(args.attention, sentence, i, head, scores);
                           write_weights_row(sentence, scores, weights);
                         });
}

// dq_i += scale · Σ_j ds_ij k_j;  dk_j += scale · Σ_i ds_ij q_i;  dbias_(j-i) += ds_ij
template <class T>
void backward(const AttentionBackwardArgs& args) {
  const AttentionArgs& in = args.forward;
  clear_gradients<T>(args);
  std::vector<double> scores;
  for_each_attention_row(
      in, [&](const AttentionSentence& sentence, std::int64_t i, std::int64_t head) {
        score_row<T>(in, sentence, i, head, scores);
        attention_row_backward<T>(args, sentence, i, head, scores);
        const T* q = in.q.row<T>(sentence.first_query + i) + head * in.d_k;
        T* dq = args.dq.row<T>(sentence.first_query + i) + head * in.d_k;
        for (std::size_t index = 0; index < scores.size(); ++index) {
          const auto j = static_cast<std::int64_t>(index);
          const T* k = in.k.row<T>(sentence.first_key + j) + in.kv_head(head) * in.d_k;
          T* dk = args.dk.row<T>(sentence.first_key + j) + in.kv_head(head) * in.d_k;
          const double ds = in.scale * scores[index];
          for (std::int64_t c = 0; c < in.d_k; ++c) {
            dq[c] += static_cast<T>(ds * k[c]);
            dk[c] += static_cast<T>(ds * q[c]);
          }
          if (args.dbias) {
            args.dbias.row<T>(head)[bias_column(args.dbias, j - sentence.position(i))] +=
                static_cast<T>(scores[index]);
          }
        }
      });
}

template <class T>
void add_rows(const View& rows, const View& sums) {
  for (std::int64_t i = 0; i < rows.rows && sums; ++i) {
    for (std::int64_t j = 0; j < rows.cols; ++j) {
      sums.row<T>(0)[j] += rows.row<T>(i)[j];
    }
  }
}

void attention(const AttentionArgs& args, Exec& /*exec*/) {
  with_type(args.q.dtype, "attention", [&](auto zero) { forward<decltype(zero)>(args); });
}

void attention_backward(const AttentionBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.forward.q.dtype, "attention_backward", [&](auto zero) {
    using T = decltype(zero);
    backward<T>(args);
    add_rows<T>(args.dq, args.dq_sums);
    add_rows<T>(args.dv, args.dv_sums);
  });
}

void attention_weights(const AttentionWeightsArgs& args, Exec& /*exec*/) {
  with_type(args.attention.q.dtype, "attention_weights",
            [&](auto zero) { weigh<decltype(zero)>(args); });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.attention = attention;
  table.attention_backward = attention_backward;
  table.attention_backward.gradient_sums = GradientSums::yes;
  table.attention_weights = attention_weights;
});

}  // namespace

}  // namespace yona::reference
