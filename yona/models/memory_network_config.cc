#include "yona/models/memory_network_config.h"

#include "yona/base/error.h"
#include "yona/models/value_checks.h"

namespace yona {

void check_config(const MemoryNetworkConfig& config) {
  check(config.vocabulary >= 1, "a memory network needs words; its vocabulary has {}",
        config.vocabulary);
  check_between(config.d_model, 1, 512, "model.d_model");
  check_between(config.hops, 1, 100, "model.hops");
  check(config.memory >= 1, "model.memory: {} sentences are less than one", config.memory);
}

ConfigKeys<MemoryNetworkConfig> memory_network_keys() {
  using Config = MemoryNetworkConfig;
  return {integer("d_model", &Config::d_model, {1, 512}, OnResume::fixed,
                  "width of the embeddings; the paper has 20, and 50 for all tasks together"),
          integer("hops", &Config::hops, {1, 100}, OnResume::fixed,
                  "how often the memory is read; each time with what was found before"),
          integer("memory", &Config::memory, {1, 1 << 20}, OnResume::fixed,
                  "sentences of the memory; of longer stories the last ones are kept"),
          choice("tying", &Config::tying, OnResume::fixed,
                 "which embeddings are shared: adjacent (what a hop reads is what the next one "
                 "looks for) or layer-wise (all hops have the same)"),
          flag("position_encoding", &Config::position_encoding, OnResume::fixed,
               "weigh each word of a sentence by its position; without it sentences are bags of "
               "words"),
          flag("temporal_encoding", &Config::temporal_encoding, OnResume::fixed,
               "add a learned vector for the age of each sentence")};
}

}  // namespace yona
