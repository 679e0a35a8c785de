// The part of the output layer that a batch needs when it is decoded with a shortlist: what any of
// its sentences may produce is computed for all, and masked for those that may not. So a sentence's
// translation does not depend on the rest of the batch.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "yona/decode/hypothesis.h"
#include "yona/models/sequence_model.h"
#include "yona/tensor/packed_weights.h"
#include "yona/tensor/quantised_weights.h"

namespace yona {

// Logits [rows, size()] have a column for each chosen id, in the ids' order.
class ChosenOutputs {
 public:
  // For each sentence the ids that may come out, in order, each once.
  explicit ChosenOutputs(std::span<const Ids> of_sentences);

  std::int64_t size() const { return static_cast<std::int64_t>(ids_.size()); }
  const Ids& ids() const { return ids_; }
  std::int32_t id(std::int32_t column) const { return ids_[static_cast<std::size_t>(column)]; }
  // The column of an id, or -1.
  std::int32_t column(std::int32_t id) const;

  // May the sentences say different things?
  bool differ() const { return !mask_.empty(); }
  // If so, [sentences, size()]: 0 where the sentence may say it, else -infinity.
  const std::vector<float>& mask() const { return mask_; }

 private:
  Ids ids_;
  std::vector<float> mask_;
};

// A model's output layer for some ids: those rows of its projection, packed or in bytes where the
// whole is, and elements of its bias.
class ChosenLayer {
 public:
  // On CPUs. The region must outlive this object; `ids` are below model.outputs().
  ChosenLayer(const SequenceModel& model, const Ids& ids, Region& region);

  const OutputLayer& layer() const { return layer_; }

 private:
  void gather_bytes(const Tensor& projection, const Ids& ids, Region& region);

  OutputLayer layer_;
  Tensor values_, scales_, sums_;  // in bytes
  std::unique_ptr<PackedWeights> packed_;
  std::unique_ptr<QuantisedWeights> quantised_;
};

}  // namespace yona
