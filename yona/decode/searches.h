// The searches, one file each.
#pragma once

#include <memory>

#include "yona/decode/search.h"

namespace yona {

std::unique_ptr<SentenceSearch> make_greedy_search(const DecodeOptions& options,
                                                   const SearchLimits& limits);
std::unique_ptr<SentenceSearch> make_paper_search(const DecodeOptions& options,
                                                  const SearchLimits& limits);
std::unique_ptr<SentenceSearch> make_huggingface_search(const DecodeOptions& options,
                                                        const SearchLimits& limits);
std::unique_ptr<SentenceSearch> make_ctranslate2_search(const DecodeOptions& options,
                                                        const SearchLimits& limits);
std::unique_ptr<SentenceSearch> make_marian_search(const DecodeOptions& options,
                                                   const SearchLimits& limits);
std::unique_ptr<SentenceSearch> make_fairseq_search(const DecodeOptions& options,
                                                    const SearchLimits& limits);

}  // namespace yona
