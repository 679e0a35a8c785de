// What is to be decoded, as token ids.
#pragma once

#include <cstdint>

#include "yona/decode/hypothesis.h"

namespace yona {

struct DecodeRequest {
  Ids source;            // with </s>; an empty one gets an empty hypothesis
  Ids prefix{};          // the output begins with these
  std::uint64_t id = 0;  // names the request for sampling
};

}  // namespace yona
