// The mean and variance of a column, put together from those of slices of its rows, and what batch
// normalisation keeps of them. On every backend slices are cut by the size of the problem and
// joined in their order, so the bits depend on nothing else.
#pragma once

#include <cmath>

#include "yona/backend/attention_pattern.h"
#include "yona/backend/norm_args.h"

namespace yona {

// Of `count` numbers: their mean and the sum of squared distances from it.
struct Moments {
  double count = 0, mean = 0, squares = 0;

  // With the numbers of another slice (Chan et al. 1979).
  YONA_HOST_DEVICE void add(const Moments& other) {
    const double total = count + other.count;
    const double distance = other.mean - mean;
    mean += distance * (other.count / total);
    squares += other.squares + distance * distance * (count * other.count / total);
    count = total;
  }
};

// The statistics of a norm's columns, and where they go.
template <class T>
struct BatchColumns {
  T *mean, *rstd;  // what the norm uses
  T *running_mean, *running_variance;
  bool enters;  // those of the batch enter the running ones
  double epsilon, momentum;

  explicit BatchColumns(const BatchNormArgs& args)
      : mean(args.statistics.row<T>(0)),
        rstd(args.statistics.row<T>(1)),
        running_mean(args.running_mean.row<T>(0)),
        running_variance(args.running_variance.row<T>(0)),
        enters(args.use == BatchStatistics::of_batch),
        epsilon(static_cast<double>(args.epsilon)),
        momentum(args.momentum) {}

  YONA_HOST_DEVICE void use_batch(std::int64_t column, const Moments& m) const {
    mean[column] = static_cast<T>(m.mean);
    rstd[column] = static_cast<T>(1.0 / sqrt(m.squares / m.count + epsilon));
    if (!enters || m.count < 2 || !(m.squares < kMost) || !(m.mean < kMost && m.mean > -kMost)) {
      return;
    }
    enter(running_mean[column], m.mean);
    enter(running_variance[column], m.squares / (m.count - 1));
  }
  YONA_HOST_DEVICE void use_running(std::int64_t column) const {
    mean[column] = running_mean[column];
    rstd[column] =
        static_cast<T>(1.0 / sqrt(static_cast<double>(running_variance[column]) + epsilon));
  }

 private:
  static constexpr double kMost = 3e38;  // of f32; not below it: too large, or not a number

  YONA_HOST_DEVICE void enter(T& running, double statistic) const {
    const auto old = static_cast<double>(running);
    running = static_cast<T>(old + momentum * (statistic - old));
  }
};

}  // namespace yona
