#include "yona/io/warm_up.h"

#include <cstdint>
#include <vector>

#include "yona/tensor/context.h"

namespace yona {

namespace {

Tokens one_token(Region& region) {
  const Tensor ids(region, DType::i32, Shape{1});
  ids.upload(std::vector<std::int32_t>{0});
  const std::vector<std::int64_t> offsets{0, 1};
  return {ids, make_layout(offsets, {}, region)};
}

}  // namespace

void warm_up(const TranslationModel& model, Backend& backend) {
  Region region(backend);
  Context c{.region = region};
  const Tokens token = one_token(region);
  const SequenceModel& translator = model.model();
  const Ragged states = translator.decode(token, translator.encode(token, c), c);
  translator.logits(states.values, c);
}

void warm_up(const CausalLm& model, Backend& backend) {
  Region region(backend);
  Context c{.region = region};
  model.logits(model.decode(one_token(region), {}, c).values, c);
}

void warm_up(const Bert& model, Backend& backend) {
  Region region(backend);
  Context c{.region = region};
  const std::vector<std::int32_t> ids{0};
  const std::vector<std::int64_t> offsets{0, 1};
  const BertInput input = model.input({.ids = ids, .offsets = offsets, .text_ids = {}}, region);
  const Ragged states = model.states(input, c);
  if (model.config().labels > 0) {
    logits_of(model.text_vectors(input, states, c), model.classifier(), c);
  }
  if (model.config().masked_lm) {
    logits_of(model.masked_states(states.values, c), model.masked_lm(), c);
  }
}

}  // namespace yona
