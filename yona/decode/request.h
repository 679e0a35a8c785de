// What is to be decoded, as token ids.
#pragma once

#include <cstdint>
#include <memory>

#include "yona/decode/hypothesis.h"
#include "yona/decode/output_rule.h"

namespace yona {

struct DecodeRequest {
  Ids source;            // with </s>; an empty one gets an empty hypothesis
  Ids prefix{};          // the output begins with these
  std::uint64_t id = 0;  // names the request for sampling
  // What its output must be like; null: anything.
  std::shared_ptr<const OutputRule> rule{};
};

}  // namespace yona
