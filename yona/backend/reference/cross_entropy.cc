// Label-smoothed cross-entropy of rows of logits (Szegedy et al. 2016; paper §5.4), its gradient in
// place, the same with the products around it, and R-Drop's two passes (Wu et al. 2021).

#include <algorithm>
#include <cmath>
#include <vector>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"
#include "yona/backend/vocabulary_loss.h"

namespace yona::reference {

namespace {

template <class T>
std::vector<double> log_probabilities(const View& logits, std::int64_t row) {
  const T* z = logits.row<T>(row);
  std::vector<double> log_p(static_cast<std::size_t>(logits.cols));
  double largest = -INFINITY;
  for (std::int64_t j = 0; j < logits.cols; ++j) {
    largest = std::max(largest, static_cast<double>(z[j]));
  }
  double sum = 0;
  for (std::int64_t j = 0; j < logits.cols; ++j) {
    sum += std::exp(static_cast<double>(z[j]) - largest);
  }
  for (std::int64_t j = 0; j < logits.cols; ++j) {
    log_p[static_cast<std::size_t>(j)] = static_cast<double>(z[j]) - largest - std::log(sum);
  }
  return log_p;
}

double smoothed_target(const CrossEntropyArgs& args, std::int64_t row, std::int64_t column) {
  const double smoothing = static_cast<double>(args.smoothing);
  return smoothing / static_cast<double>(args.logits.cols) +
         (column == args.targets[row] ? 1.0 - smoothing : 0.0);
}

template <class T>
void write_losses(const CrossEntropyArgs& args, std::int64_t row,
                  const std::vector<double>& log_p) {
  double loss = 0;
  for (std::int64_t j = 0; j < args.logits.cols; ++j) {
    loss -= smoothed_target(args, row, j) * log_p[static_cast<std::size_t>(j)];
  }
  args.losses.row<T>(row)[0] = static_cast<T>(loss);
  args.losses.row<T>(row)[1] = static_cast<T>(-log_p[static_cast<std::size_t>(args.targets[row])]);
}

template <class T>
void forward(const CrossEntropyArgs& args) {
  for (std::int64_t i = 0; i < args.logits.rows; ++i) {
    const std::vector<double> log_p = log_probabilities<T>(args.logits, i);
    write_losses<T>(args, i, log_p);
    if (args.gradient) {
      for (std::int64_t j = 0; j < args.logits.cols; ++j) {
        const double p = std::exp(log_p[static_cast<std::size_t>(j)]);
        args.logits.row<T>(i)[j] = static_cast<T>((p - smoothed_target(args, i, j)) *
                                                  static_cast<double>(args.row_scale[i]));
      }
    }
  }
}

// KL(p‖p') = Σ p (log p - log p');  d/dz of ½(KL + KL') with p = softmax(z), u = log p - log p':
//   ½ [ p (u - Σ p u) + p - p' ]        and with the roles exchanged for z'.
template <class T>
void rdrop_row(const RDropArgs& args, std::int64_t i) {
  const CrossEntropyArgs& first = args.first;
  const CrossEntropyArgs& second = args.second;
  const std::vector<double> a = log_probabilities<T>(first.logits, i);
  const std::vector<double> b = log_probabilities<T>(second.logits, i);
  write_losses<T>(first, i, a);
  write_losses<T>(second, i, b);
  double kl_ab = 0;
  double kl_ba = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    kl_ab += std::exp(a[j]) * (a[j] - b[j]);
    kl_ba += std::exp(b[j]) * (b[j] - a[j]);
  }
  const double alpha = static_cast<double>(args.alpha);
  first.losses.row<T>(i)[0] += static_cast<T>(alpha * 0.5 * (kl_ab + kl_ba));
  if (!first.gradient) {
    return;
  }
  for (std::size_t j = 0; j < a.size(); ++j) {
    const auto column = static_cast<std::int64_t>(j);
    const double p = std::exp(a[j]);
    const double q = std::exp(b[j]);
    const double da = alpha * 0.5 * (p * (a[j] - b[j] - kl_ab) + p - q);
    const double db = alpha * 0.5 * (q * (b[j] - a[j] - kl_ba) + q - p);
    first.logits.row<T>(i)[column] = static_cast<T>((p - smoothed_target(first, i, column) + da) *
                                                    static_cast<double>(first.row_scale[i]));
    second.logits.row<T>(i)[column] = static_cast<T>((q - smoothed_target(second, i, column) + db) *
                                                     static_cast<double>(second.row_scale[i]));
  }
}

void cross_entropy(const CrossEntropyArgs& args, Exec& /*exec*/) {
  with_type(args.logits.dtype, "cross_entropy", [&](auto t) { forward<decltype(t)>(args); });
}

void rdrop(const RDropArgs& args, Exec& /*exec*/) {
  with_type(args.first.logits.dtype, "rdrop", [&](auto t) {
    for (std::int64_t i = 0; i < args.first.logits.rows; ++i) {
      rdrop_row<decltype(t)>(args, i);
    }
  });
}

void vocabulary_loss(const VocabularyLossArgs& args, Exec& exec) {
  vocabulary_loss_in_parts(args, reference_kernels(), exec);
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.cross_entropy = cross_entropy;
  table.rdrop = rdrop;
  table.vocabulary_loss = vocabulary_loss;
});

}  // namespace
}  // namespace yona::reference
