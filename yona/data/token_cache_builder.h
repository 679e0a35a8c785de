// Makes a token cache file from a corpus, in one pass over the text and bounded memory.
#pragma once

#include <filesystem>

#include "yona/base/thread_pool.h"
#include "yona/data/cache_key.h"
#include "yona/data/corpus.h"
#include "yona/text/pair_encoder.h"

namespace yona {

// Replaces `path` in one step; on failure what was there stays and nothing else is left. The caller
// holds the lock of `path`. The bytes do not depend on the number of threads.
void build_token_cache(const CorpusSpec& corpus, const PairEncoder& encoder,
                       const TokenizeOptions& options, const CacheKey& key,
                       const std::filesystem::path& path, ThreadPool& pool);

}  // namespace yona
