#include "yona/inspect/prompt_attention.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "yona/base/error.h"
#include "yona/decode/stepper.h"
#include "yona/inspect/map_recorder.h"

namespace yona {

std::vector<AttentionMap> prompt_attention(const CausalLm& model, Backend& backend,
                                           const std::vector<std::int32_t>& ids) {
  const CausalLmConfig& config = model.config();
  const auto tokens = static_cast<std::int64_t>(ids.size());
  const std::int64_t weights_of_head = kMostPromptWeights / (config.layers * config.heads);
  const auto fitting = static_cast<std::int64_t>(std::sqrt(static_cast<double>(weights_of_head)));
  const std::int64_t most = std::min(fitting, config.max_positions);
  check(tokens > 0, "attention: the prompt is empty");
  check(tokens <= most, "attention: the prompt has {} tokens; of this model at most {} are shown",
        tokens, most);
  Region region(backend);
  MapRecorder recorder;
  Context c{.region = region, .attention = &recorder};
  model.decode(tokens_of(std::span(&ids, 1), region), {}, c);
  return recorder.take();
}

}  // namespace yona
