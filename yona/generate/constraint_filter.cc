#include "yona/generate/constraint_filter.h"

#include <cmath>
#include <limits>

namespace yona {

ConstraintFilter::ConstraintFilter(std::shared_ptr<TextConstraint> constraint)
    : constraint_(std::move(constraint)), state_(constraint_->begin()) {}

void ConstraintFilter::bar(std::span<float> logits) {
  const TokenMask& mask = constraint_->allowed(state_);
  const auto known = static_cast<std::int64_t>(mask.words.size()) * 64;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto token = static_cast<std::int32_t>(i);
    if (token >= known || !mask.has(token)) {
      logits[i] = -std::numeric_limits<float>::infinity();
    }
  }
}

void ConstraintFilter::advance(std::int32_t token) { state_ = constraint_->advance(state_, token); }

bool ConstraintFilter::must_end() { return constraint_->must_end(state_); }

}  // namespace yona
