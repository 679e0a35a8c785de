#include "yona/io/warm_up.h"

#include <cstdint>
#include <vector>

#include "yona/tensor/context.h"

namespace yona {

void warm_up(const TranslationModel& model, Backend& backend) {
  Region region(backend);
  Context c{.region = region};
  const Tensor ids(region, DType::i32, Shape{1});
  ids.upload(std::vector<std::int32_t>{0});
  const std::vector<std::int64_t> offsets{0, 1};
  const Tokens token{ids, make_layout(offsets, {}, region)};
  const Transformer& transformer = model.transformer();
  const Ragged states = transformer.decode(token, transformer.encode(token, c), c);
  transformer.logits(states.values, c);
}

}  // namespace yona
