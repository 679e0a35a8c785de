#include "yona/io/cpu_weights.h"

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/tensor/half_weights.h"

namespace yona {

namespace {

bool is_on_host(const Parameters& parameters) {
  return parameters.weights().storage()->region->backend().on_host();
}

}  // namespace

bool CpuWeights::open_int8_file(const std::filesystem::path& folder, const Parameters& parameters,
                                Packing packing) {
  if (!is_on_host(parameters) || packing != Packing::int8 || !has_int8_weights(folder)) {
    return false;
  }
  int8_file_ = std::make_unique<Int8WeightsFile>(folder, parameters);
  quantised_ = std::make_unique<QuantisedWeights>(
      parameters.weights(), [](const Tensor& part, float* /*to*/) {
        fail<FormatError>("int8 weights: there is no matrix of shape {} in the file", part.shape());
      });
  int8_file_->add_to(*quantised_);
  return true;
}

void CpuWeights::open(const std::filesystem::path& folder, const Parameters& parameters,
                      Packing packing, const std::function<void()>& read) {
  if (open_int8_file(folder, parameters, packing)) {
    return;
  }
  read();
  if (is_on_host(parameters) && packing == Packing::int8) {
    quantised_ = std::make_unique<QuantisedWeights>(parameters.weights());
  } else if (is_on_host(parameters) && packing != Packing::no) {
    packed_ = std::make_unique<PackedWeights>(parameters.weights());
  }
}

void CpuWeights::open_late(const std::filesystem::path& folder, const Parameters& parameters,
                           Packing packing, const std::function<LazyWeights()>& open) {
  if (open_int8_file(folder, parameters, packing)) {
    return;
  }
  lazy_ = std::make_unique<LazyWeights>(open());
  if (!is_on_host(parameters) || packing == Packing::no) {
    lazy_->read_all();
    lazy_ = nullptr;
    return;
  }
  const Tensor weights = parameters.weights();
  const auto copier = [this](const Tensor& part, float* to) { lazy_->copy_to(part, to); };
  const DType half = packing == Packing::bf16 ? DType::bf16 : lazy_->half_type();
  if (packing == Packing::int8) {
    quantised_ = std::make_unique<QuantisedWeights>(weights, copier);
  } else if (half != DType::f32) {
    packed_ = std::make_unique<HalfWeights>(weights, half, copier);
  } else {
    packed_ =
        std::make_unique<PackedWeights>(weights, [this](const Tensor& part) { lazy_->read(part); });
  }
}

}  // namespace yona
