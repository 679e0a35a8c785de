#include "yona/decode/chosen_outputs.h"

#include <algorithm>
#include <limits>

#include "yona/backend/panels.h"
#include "yona/decode/shortlist.h"
#include "yona/tensor/ops/embed.h"

namespace yona {

namespace {

// Some rows of a table, as they are in f32.
Tensor rows_of(const Tensor& table, const Ids& ids, Region& region) {
  if (PackedWeights* packed = table.storage()->packed; packed != nullptr) {
    packed->packed(table);  // so that it has been read
  }
  const auto count = static_cast<std::int64_t>(ids.size());
  Tensor places(region, DType::i32, Shape{count});
  places.upload(ids);
  Context c{.region = region};
  return embed(places, *make_step_layout(count, 0, region), table, {}, {}, c);
}

}  // namespace

ChosenOutputs::ChosenOutputs(std::span<const Ids> of_sentences) {
  for (const Ids& ids : of_sentences) {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  }
  sort_ids(ids_);
  const auto is_whole = [&](const Ids& ids) { return ids.size() == ids_.size(); };
  if (std::all_of(of_sentences.begin(), of_sentences.end(), is_whole)) {
    return;
  }
  mask_.assign(of_sentences.size() * ids_.size(), -std::numeric_limits<float>::infinity());
  float* row = mask_.data();
  for (const Ids& ids : of_sentences) {
    for (const std::int32_t id : ids) {
      row[column(id)] = 0;
    }
    row += ids_.size();
  }
}

std::int32_t ChosenOutputs::column(std::int32_t id) const {
  const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
  return found != ids_.end() && *found == id ? static_cast<std::int32_t>(found - ids_.begin()) : -1;
}

ChosenLayer::ChosenLayer(const SequenceModel& model, const Ids& ids, Region& region) {
  const auto [projection, bias] = model.output_layer();
  if (projection.storage()->quantised != nullptr) {
    gather_bytes(projection, ids, region);
  } else {
    layer_.weight = rows_of(projection, ids, region);
    if (projection.storage()->packed != nullptr) {
      packed_ = std::make_unique<PackedWeights>(layer_.weight);
    }
  }
  if (bias) {
    std::vector<float> chosen;
    for (const std::int32_t id : ids) {
      chosen.push_back(bias.data<float>()[id]);
    }
    layer_.bias = Tensor(region, DType::f32, Shape{static_cast<std::int64_t>(ids.size())});
    layer_.bias.upload(chosen);
  }
}

// Byte for byte: rounding what the bytes stand for once more could move a scale by a bit.
void ChosenLayer::gather_bytes(const Tensor& projection, const Ids& ids, Region& region) {
  const std::int64_t k = projection.cols();
  const auto count = static_cast<std::int64_t>(ids.size());
  const Int8Weights all = projection.storage()->quantised->get(projection);
  const std::int64_t panels = (count + kPanelRows - 1) / kPanelRows;
  values_ = Tensor(region, DType::i8, Shape{panels, int8_panel_size(k)});
  scales_ = Tensor(region, DType::f32, Shape{panels * kPanelRows});
  sums_ = Tensor(region, DType::i32, Shape{panels * kPanelRows});
  const Int8Weights chosen{values_.view(), scales_.view(), sums_.view()};
  for (std::int64_t row = 0; row < panels * kPanelRows; ++row) {
    if (row < count) {
      move_int8_row(all, ids[static_cast<std::size_t>(row)], k, chosen, row);
    } else {
      clear_int8_row(chosen, row, k);
    }
  }
  layer_.weight = Tensor(region, DType::f32, Shape{count, k});  // only its place is used
  quantised_ = std::make_unique<QuantisedWeights>(layer_.weight,
                                                  [](const Tensor& /*part*/, float* /*to*/) {});
  quantised_->add({.offset = 0, .rows = count, .cols = k, .weights = chosen});
}

}  // namespace yona
