// Additive attention (Bahdanau et al. 2015) over ragged sentences, as plain loops: the comparator
// of the paper's section 3.2.1. Scores are e_ij = Σ_c u_c · tanh(q_ic + k_jc), u a vector per head.

#include <cmath>
#include <vector>

#include "yona/backend/reference/attention_row.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
void score_row(const AdditiveAttentionArgs& args, const AttentionSentence& sentence, std::int64_t i,
               std::int64_t head, std::vector<double>& scores) {
  const AttentionArgs& in = args.attention;
  const T* q = in.q.row<T>(sentence.first_query + i) + head * in.d_k;
  const T* u = args.vector.row<T>(head);
  scores.resize(static_cast<std::size_t>(sentence.visible(i)));
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const T* k = in.k.row<T>(sentence.first_key + static_cast<std::int64_t>(j)) + head * in.d_k;
    double sum = 0;
    for (std::int64_t c = 0; c < in.d_k; ++c) {
      sum += u[c] * std::tanh(double{q[c]} + k[c]);
    }
    scores[j] = sum;
  }
}

template <class T>
void forward(const AdditiveAttentionArgs& args) {
  std::vector<double> scores;
  for_each_attention_row(args.attention,
                         [&](const AttentionSentence& sentence, std::int64_t i, std::int64_t head) {
                           score_row<T>(args, sentence, i, head, scores);
                           attention_row<T>(args.attention, sentence, i, head, scores);
                         });
}

template <class T>
void weigh(const AdditiveAttentionWeightsArgs& args) {
  const AdditiveAttentionArgs forward{args.attention.attention, args.vector};
  std::vector<double> scores;
  T* weights = args.attention.weights.row<T>(0);
  for_each_attention_row(forward.attention,
                         [&](const AttentionSentence& sentence, std::int64_t i, std::int64_t head) {
                           score_row<T>(forward, sentence, i, head, scores);
                           write_weights_row(sentence, scores, weights);
                         });
}

// With t = tanh(q_ic + k_jc):  du_c += de_ij t;  dq_ic and dk_jc += de_ij u_c (1 - t²)
template <class T>
void backward(const AdditiveAttentionBackwardArgs& args) {
  const AttentionArgs& in = args.attention.forward;
  clear_gradients<T>(args.attention);
  std::vector<double> scores;
  for_each_attention_row(
      in, [&](const AttentionSentence& sentence, std::int64_t i, std::int64_t head) {
        score_row<T>({in, args.vector}, sentence, i, head, scores);
        attention_row_backward<T>(args.attention, sentence, i, head, scores);
        const T* q = in.q.row<T>(sentence.first_query + i) + head * in.d_k;
        T* dq = args.attention.dq.row<T>(sentence.first_query + i) + head * in.d_k;
        const T* u = args.vector.row<T>(head);
        T* du = args.dvector.row<T>(head);
        for (std::size_t index = 0; index < scores.size(); ++index) {
          const std::int64_t key = sentence.first_key + static_cast<std::int64_t>(index);
          const T* k = in.k.row<T>(key) + head * in.d_k;
          T* dk = args.attention.dk.row<T>(key) + head * in.d_k;
          for (std::int64_t c = 0; c < in.d_k; ++c) {
            const double t = std::tanh(double{q[c]} + k[c]);
            const double gradient = scores[index] * u[c] * (1 - t * t);
            dq[c] += static_cast<T>(gradient);
            dk[c] += static_cast<T>(gradient);
            du[c] += static_cast<T>(scores[index] * t);
          }
        }
      });
}

void additive_attention(const AdditiveAttentionArgs& args, Exec& /*exec*/) {
  with_type(args.attention.q.dtype, "additive_attention",
            [&](auto zero) { forward<decltype(zero)>(args); });
}

void additive_attention_backward(const AdditiveAttentionBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.attention.forward.q.dtype, "additive_attention_backward",
            [&](auto zero) { backward<decltype(zero)>(args); });
}

void additive_attention_weights(const AdditiveAttentionWeightsArgs& args, Exec& /*exec*/) {
  with_type(args.attention.attention.q.dtype, "additive_attention_weights",
            [&](auto zero) { weigh<decltype(zero)>(args); });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.additive_attention = additive_attention;
  table.additive_attention_backward = additive_attention_backward;
  table.additive_attention_weights = additive_attention_weights;
});

}  // namespace

}  // namespace yona::reference
