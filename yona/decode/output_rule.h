// A rule about a whole output: which tokens may follow what has been written for one request. What
// decoding as such has (lengths, <unk>, n-grams) is in constraints.h.
#pragma once

#include <cstdint>
#include <span>

#include "yona/decode/hypothesis.h"

namespace yona {

class OutputRule {
 public:
  OutputRule() = default;
  virtual ~OutputRule() = default;
  OutputRule(const OutputRule&) = delete;
  OutputRule& operator=(const OutputRule&) = delete;

  // Appends the tokens that may not follow `ids`, the output so far. Thread-safe.
  virtual void append_bans(std::span<const std::int32_t> ids, Ids& bans) const = 0;
};

}  // namespace yona
