#include "yona/io/cpu_weights.h"

#include "yona/base/error.h"

namespace yona {

void CpuWeights::open(const std::filesystem::path& folder, const Parameters& parameters,
                      Packing packing, const std::function<void()>& read) {
  const Tensor weights = parameters.weights();
  const bool on_host = weights.storage()->region->backend().on_host();
  if (on_host && packing == Packing::int8 && has_int8_weights(folder)) {
    int8_file_ = std::make_unique<Int8WeightsFile>(folder, parameters);
    quantised_ = std::make_unique<QuantisedWeights>(weights, [](const Tensor& part, float* /*to*/) {
      fail<FormatError>("int8 weights: there is no matrix of shape {} in the file", part.shape());
    });
    int8_file_->add_to(*quantised_);
    return;
  }
  read();
  if (on_host && packing == Packing::yes) {
    packed_ = std::make_unique<PackedWeights>(weights);
  } else if (on_host && packing == Packing::int8) {
    quantised_ = std::make_unique<QuantisedWeights>(weights);
  }
}

}  // namespace yona
