// Collects the attention weights of a pass over one text, or one pair of them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "yona/inspect/attention_maps.h"
#include "yona/tensor/attention_recorder.h"

namespace yona {

// Copies every record of a batch of one sentence. Layers come in order, so they are counted.
class MapRecorder : public AttentionRecorder {
 public:
  void record(const AttentionRecord& record) override {
    AttentionMap map;
    map.part = part_of(record.module);
    map.layer = layers_[static_cast<std::size_t>(map.part)]++;
    map.heads = record.heads;
    map.queries = record.queries.tokens;
    map.keys = record.keys.tokens;
    map.weights = record.weights.to_vector<float>();
    maps_.push_back(std::move(map));
  }

  std::vector<AttentionMap> take() {
    std::stable_sort(maps_.begin(), maps_.end(),
                     [](const AttentionMap& a, const AttentionMap& b) { return a.part < b.part; });
    return std::move(maps_);
  }

 private:
  // A decoder alone has no "decoder." in its names.
  static AttentionPart part_of(std::string_view module) {
    if (module.starts_with("encoder.")) {
      return AttentionPart::encoder;
    }
    return module.ends_with("cross_attention") ? AttentionPart::cross : AttentionPart::decoder;
  }

  std::array<std::int64_t, kAttentionParts.size()> layers_{};
  std::vector<AttentionMap> maps_;
};

}  // namespace yona
