// Arrays of a fixture that another program wrote.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "yona/base/error.h"
#include "yona/data/batch.h"
#include "yona/io/safetensors.h"

namespace yona::testing {

template <class T>
std::vector<T> array_of(const SafetensorsFile& file, const std::string& name) {
  const auto found = file.find(name);
  if (!found || found->dtype != dtype_of<T>()) {
    throw FormatError("fixture: no array " + name + " of " + std::string(name_of(dtype_of<T>())));
  }
  std::vector<T> values(static_cast<std::size_t>(found->shape.elements()));
  std::memcpy(values.data(), found->data, found->bytes());
  return values;
}

inline std::vector<double> doubles_of(const SafetensorsFile& file, const std::string& name) {
  const std::vector<float> values = array_of<float>(file, name);
  return {values.begin(), values.end()};
}

// The arrays <prefix>source.ids, <prefix>source.offsets and the target's, sentences of weight 1.
inline Batch fixture_batch(const SafetensorsFile& file, const std::string& prefix) {
  Batch batch;
  batch.sides[kSource] = {array_of<std::int32_t>(file, prefix + "source.ids"),
                          array_of<std::int64_t>(file, prefix + "source.offsets")};
  batch.sides[kTarget] = {array_of<std::int32_t>(file, prefix + "target.ids"),
                          array_of<std::int64_t>(file, prefix + "target.offsets")};
  for (std::int64_t s = 0; s < batch.sides[kSource].examples(); ++s) {
    batch.example_ids.push_back(static_cast<std::uint64_t>(s));
    batch.weights.push_back(1.0F);
  }
  return batch;
}

}  // namespace yona::testing
