#include "yona/tensor/first_uses.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "yona/base/error.h"

namespace yona {

FirstUses::FirstUses(Tensor weights, const Tape& tape, std::int64_t piece)
    : weights_(std::move(weights)),
      tape_(tape),
      piece_(piece),
      first_(static_cast<std::size_t>((weights_.elements() + piece - 1) / piece)) {
  begin();
}

void FirstUses::begin() {
  std::fill(first_.begin(), first_.end(), std::numeric_limits<std::size_t>::max());
  end_ = first_.size();
}

void FirstUses::note(const Tensor& input) {
  if (!input || input.elements() == 0 || input.storage().get() != weights_.storage().get()) {
    return;
  }
  const std::int64_t begin =
      static_cast<const float*>(input.raw()) - static_cast<const float*>(weights_.raw());
  const std::int64_t last = begin + (input.rows() - 1) * input.stride() + input.cols() - 1;
  const auto from = static_cast<std::size_t>(begin / piece_);
  const auto to = static_cast<std::size_t>(last / piece_);
  check<Error>(to < end_,
               "gradients: parameters {} to {} are used after their gradients were said to be "
               "final; this is a fault of yona",
               begin, last);
  for (std::size_t piece = from; piece <= to; ++piece) {
    first_[piece] = std::min(first_[piece], tape_.size());
  }
}

std::int64_t FirstUses::final_from() {
  while (end_ > 0 && first_[end_ - 1] >= tape_.size()) {
    --end_;
  }
  return static_cast<std::int64_t>(end_) * piece_;
}

}  // namespace yona
