#include "yona/io/cpu_weights.h"

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/io/model_memory.h"
#include "yona/tensor/half_weights.h"

namespace yona {

namespace {

bool is_on_host(const Parameters& parameters) {
  return parameters.weights().storage()->region->backend().on_host();
}

// Where the CPU keeps `bytes` for each weight, and int8 is possible or not.
void check_memory(const std::filesystem::path& folder, const Parameters& parameters,
                  std::int64_t bytes, bool has_int8) {
  if (is_on_host(parameters)) {
    const std::int64_t count = parameters.count();
    check_model_memory(
        folder, {.weights = bytes * count, .in_int8 = has_int8 ? int8_memory(folder, count) : 0});
  }
}

}  // namespace

bool CpuWeights::open_int8_file(const std::filesystem::path& folder, const Parameters& parameters,
                                Packing packing) {
  if (!is_on_host(parameters) || packing != Packing::int8 || !has_int8_weights(folder)) {
    return false;
  }
  check_model_memory(folder, {.weights = int8_memory(folder, parameters.count())});
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
  const std::int64_t rounded = packing == Packing::int8 ? 1 : 0;  // beside those in f32
  check_memory(folder, parameters, 4 + rounded, has_int8_weights(folder));
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
  const DType half = packing == Packing::bf16 ? DType::bf16 : lazy_->half_type();
  const std::int64_t bytes = packing == Packing::int8                       ? 1
                             : packing == Packing::no || half == DType::f32 ? 4
                                                                            : 2;
  check_memory(folder, parameters, bytes, packing != Packing::int8);
  if (!is_on_host(parameters) || packing == Packing::no) {
    lazy_->read_all();
    lazy_ = nullptr;
    return;
  }
  const Tensor weights = parameters.weights();
  const auto copier = [this](const Tensor& part, float* to) { lazy_->copy_to(part, to); };
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
