// Constrained output for Generator: a TextConstraint as the filter of one answer's tokens.
#pragma once

#include <memory>

#include "yona/generate/request.h"
#include "yona/generate/text_constraint.h"

namespace yona {

// Answers may share a constraint: they choose their tokens one after another.
class ConstraintFilter : public TokenFilter {
 public:
  explicit ConstraintFilter(std::shared_ptr<TextConstraint> constraint);

  // Throws InvalidArgument where no token continues the text.
  void bar(std::span<float> logits) override;
  void advance(std::int32_t token) override;
  bool must_end() override;

 private:
  std::shared_ptr<TextConstraint> constraint_;
  TextConstraint::State state_;
};

}  // namespace yona
