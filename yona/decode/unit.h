// One search under way: of a request, or of one of its samples.
#pragma once

#include <memory>

#include "yona/decode/request.h"
#include "yona/decode/search.h"

namespace yona {

struct Unit {
  const DecodeRequest* request = nullptr;
  std::size_t answer = 0;     // which of the batch's requests
  std::int32_t sentence = 0;  // which of the encoded sources
  std::uint64_t sample = 0;   // which of the request's samples
  std::unique_ptr<SentenceSearch> search{};
  std::int64_t first_row = 0;  // of its beams, in the step

  bool in_prefix() const {
    return static_cast<std::size_t>(search->length()) < request->prefix.size();
  }
  // The token that must come next, or -1.
  std::int32_t only() const {
    return in_prefix() ? request->prefix[static_cast<std::size_t>(search->length())]
                       : search->forced();
  }
};

}  // namespace yona
