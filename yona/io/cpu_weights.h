// How a CPU keeps the matrices of a loaded model: as they are, packed, in 2 bytes each or in one.
// Behind language models and encoders.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "yona/io/int8_weights_file.h"
#include "yona/io/lazy_weights.h"
#include "yona/io/translation_model.h"
#include "yona/nn/parameters.h"
#include "yona/tensor/packed_weights.h"
#include "yona/tensor/quantised_weights.h"

namespace yona {

class CpuWeights {
 public:
  // Opens the folder's int8 file where `packing` is int8 and there is one; else calls read(), which
  // fills the parameters, and packs them. Other devices take the weights as they are read. The
  // parameters must outlive this object. Throws as read() and Int8WeightsFile do.
  void open(const std::filesystem::path& folder, const Parameters& parameters, Packing packing,
            const std::function<void()>& read);

  // The same with weights that are read as they are first used: none is kept in f32 where `packing`
  // is int8 or bf16, or where it is yes and the file has all matrices in bf16 or in f16.
  void open_late(const std::filesystem::path& folder, const Parameters& parameters, Packing packing,
                 const std::function<LazyWeights()>& open);

  // Of int8, else null.
  const QuantisedWeights* quantised() const { return quantised_.get(); }

 private:
  bool open_int8_file(const std::filesystem::path& folder, const Parameters& parameters,
                      Packing packing);

  std::unique_ptr<LazyWeights> lazy_;  // outlives what reads it
  std::unique_ptr<PackedWeights> packed_;
  std::unique_ptr<Int8WeightsFile> int8_file_;  // outlives what reads it
  std::unique_ptr<QuantisedWeights> quantised_;
};

}  // namespace yona
