#include "yona/decode/stepper.h"

#include <cmath>
#include <memory>

#include "yona/base/preemption.h"
#include "yona/tensor/operand.h"
#include "yona/tensor/ops/embed.h"
#include "yona/tensor/ops/log_add.h"
#include "yona/tensor/ops/screened_matmul.h"
#include "yona/tensor/ops/softmax.h"
#include "yona/tensor/packed_weights.h"

namespace yona {

Tokens tokens_of(std::span<const std::vector<std::int32_t>> sentences, Region& region) {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};
  for (const auto& sentence : sentences) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    offsets.push_back(static_cast<std::int64_t>(ids.size()));
  }
  Tensor tensor(region, DType::i32, Shape{static_cast<std::int64_t>(ids.size())});
  tensor.upload(ids);
  return {tensor, make_layout(offsets, {}, region)};
}

bool has_plain_projection(const SequenceModel& model) {
  const SequenceShape& shape = model.shape();
  return shape.plain_projection && (shape.has_barred_pad() || shape.outputs % 2 == 0);
}

namespace {

// Can one more row be read? Mostly: <pad>'s, or weights of other layers follow.
bool has_row_after(const Tensor& table) {
  const Storage& storage = *table.storage();
  const std::int64_t bytes =
      (table.rows() + 1) * table.cols() * static_cast<std::int64_t>(size_of(table.dtype()));
  return static_cast<const char*>(table.raw()) + bytes <=
         static_cast<const char*>(storage.data) + storage.bytes;
}

// A product with a plain projection, and the logits that it writes.
//
// A GPU multiplies matrices of odd width at a seventh of the speed of even ones, and the table has
// one row more than the projection, <pad>'s, or one of other weights follows: where that makes it
// even, products see it too.
struct LogitsProduct {
  LogitsProduct(const Tensor& states, const Tensor& projection, Context& c) {
    const std::int64_t V = projection.rows();
    const Tensor wide = c.empty(DType::f32, Shape{states.rows(), (V + 8) / 8 * 8});
    View table = operand_part(projection, c);
    table.rows += has_row_after(projection) ? V % 2 : 0;
    product = {.a = states.view(),
               .b = table,
               .c = wide.columns(0, table.rows).view(),
               .transpose_b = true,
               .precision = c.precision};
    logits = wide.columns(0, V);
  }
  Tensor logits;
  MatmulArgs product;
};

}  // namespace

bool projects_to_best(const SequenceModel& model, Context& c) {
  return c.backend().wants_even_widths() && model.shape().plain_projection;
}

Tensor next_logits(const Tensor& states, const SequenceModel& model, Context& c) {
  if (!projects_to_best(model, c)) {
    return model.logits(states, c);
  }
  const LogitsProduct made(states, model.projection(), c);
  c.kernels().matmul(made.product, c.exec());
  return made.logits;
}

TopK projected_best(const Tensor& states, const Tensor& projection, const TopKOptions& options,
                    Context& c) {
  const LogitsProduct made(states, projection, c);
  return logits_top_k(made.product, made.logits, options, c);
}

TopK next_best(const Tensor& states, const SequenceModel& model, const TopKOptions& options,
               Context& c) {
  return projects_to_best(model, c) ? projected_best(states, model.projection(), options, c)
                                    : top_k(next_logits(states, model, c), options, c);
}

Stepper::Stepper(std::span<const SequenceModel* const> models, const DecodeOptions& options,
                 const StepperBatch& batch, Region& region)
    : region_(region),
      mean_(options.ensemble),
      precision_(options.precision),
      start_(options.start_id >= 0 ? options.start_id : models.front()->start_id()) {
  const Tokens source = tokens_of(batch.sources, region);
  for (const SequenceModel* model : models) {
    Context c{.region = region, .precision = precision_};
    members_.push_back({*model, model->encode(source, c), AttentionCache(region, batch.size)});
    if (batch.chosen != nullptr) {
      members_.back().chosen = std::make_unique<ChosenLayer>(*model, batch.chosen->ids(), region);
    }
  }
  if (batch.chosen != nullptr && batch.chosen->differ()) {
    mask_ = Tensor(region, DType::f32,
                   Shape{static_cast<std::int64_t>(batch.sources.size()), batch.chosen->size()});
    mask_.upload(batch.chosen->mask());
  }
}

Tensor Stepper::states(Member& member, const StepRows& rows, const Tensor& ids,
                       const std::shared_ptr<const Layout>& layout) {
  Context c{.region = region_, .precision = precision_, .cache = &member.cache};
  member.cache.begin_step(rows.parents, rows.sentences);
  const Ragged states = member.model.decode({ids, layout}, member.memory, c);  // [rows, d_model]
  member.memory.values = Tensor();
  preemption_point();
  return states.values;
}

StepLogits Stepper::logits(const Tensor& states, const Member& member, const LogitsWanted& wanted) {
  if (member.chosen) {
    return chosen_logits(states, member, wanted);
  }
  Context c{.region = region_, .precision = precision_};
  const Tensor projection = member.model.projection();
  constexpr std::int64_t kFewRows = 4;  // more of them wait for arithmetic, not for the memory
  if (!wanted.all && has_plain_projection(member.model)) {
    if (projection.storage()->quantised != nullptr) {
      return {.states = states, .projection = projection};
    }
    if (wanted.largest > 0 && wanted.largest <= kMostScreened && states.rows() <= kFewRows &&
        projection.storage()->packed != nullptr && projection.storage()->packed->has_screens()) {
      return {.values = screened_matmul(states, projection, wanted.largest, c)};
    }
    if (projects_to_best(member.model, c)) {
      return {.states = states, .projection = projection, .precision = precision_};
    }
  }
  return {.values = next_logits(states, member.model, c)};
}

// With few columns there is nothing to gain by a screen; a mask is added to logits that are there.
StepLogits Stepper::chosen_logits(const Tensor& states, const Member& member,
                                  const LogitsWanted& wanted) {
  const OutputLayer& layer = member.chosen->layer();
  if (!wanted.all && !row_mask_ && has_plain_projection(member.model) &&
      layer.weight.storage()->quantised != nullptr) {
    return {.states = states, .projection = layer.weight};
  }
  Context c{.region = region_, .precision = precision_};
  const Tensor values = member.model.logits(states, layer, c);  // [rows, columns]
  if (row_mask_) {
    c.kernels().add({.a = values.view(), .b = row_mask_.view(), .y = values.view()}, c.exec());
  }
  return {.values = values};
}

StepLogits Stepper::step(const StepRows& rows, const LogitsWanted& wanted) {
  const auto count = static_cast<std::int64_t>(rows.ids.size());
  std::vector<std::int32_t> inputs = rows.ids;
  for (std::int32_t& id : inputs) {
    id = id < 0 ? start_ : id;
  }
  const Tensor ids(region_, DType::i32, Shape{count});
  ids.upload(inputs);
  const auto layout = make_step_layout(count, steps_++, region_);
  if (mask_) {
    const Tensor sentences(region_, DType::i32, Shape{count});
    sentences.upload(rows.sentences);
    Context c{.region = region_};
    row_mask_ = embed(sentences, *layout, mask_, {}, {}, c);  // [rows, columns]
  }
  const auto all_logits = [&](Member& member) {
    return logits(states(member, rows, ids, layout), member, {.all = true}).values;
  };
  if (members_.size() == 1) {
    return logits(states(members_.front(), rows, ids, layout), members_.front(), wanted);
  }
  StepLogits result{all_logits(members_.front())};
  Context c{.region = region_};
  const auto models = static_cast<float>(members_.size());
  result = {.values = log_softmax(result.values, c), .normalised = true};
  for (std::size_t m = 1; m < members_.size(); ++m) {
    const bool last = m + 1 == members_.size();
    const Tensor other = log_softmax(all_logits(members_[m]), c);
    if (mean_ == EnsembleMean::probabilities) {
      result.values = log_add(result.values, other, last ? -std::log(models) : 0.0F, c);
    } else {
      const float scale = last ? 1.0F / models : 1.0F;
      c.kernels().add({.a = result.values.view(),
                       .b = other.view(),
                       .y = result.values.view(),
                       .alpha = scale,
                       .beta = scale},
                      c.exec());
    }
  }
  return result;
}

}  // namespace yona
