// The token cache of a parallel corpus: its sentence pairs, read in one pass over the text and
// encoded by all threads.
#pragma once

#include <filesystem>

#include "yona/base/thread_pool.h"
#include "yona/data/cache_key.h"
#include "yona/data/corpus.h"
#include "yona/data/token_cache.h"
#include "yona/text/pair_encoder.h"

namespace yona {

// Opens the cache of this corpus in `folder`, making it if need be; its bytes do not depend on the
// number of threads. Throws FormatError when the corpus has no usable pair or its files do not
// match, IoError when it cannot be read, and as TokenCache::open does.
TokenCache open_pair_cache(const CorpusSpec& corpus, const PairEncoder& encoder,
                           const TokenizeOptions& options, const std::filesystem::path& folder,
                           ThreadPool& pool);

}  // namespace yona
