// Parameters: all weights of a model in one flat buffer, in registration order and without gaps,
// so that an optimiser is one pass and the weights of Q, K and V, registered one after another,
// are one matrix. Gradients are a second buffer of the same layout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/nn/module.h"
#include "yona/tensor/region.h"
#include "yona/tensor/tensor.h"

namespace yona {

enum class Gradients : bool { no, yes };

class Parameters {
 public:
  struct Entry {
    std::string name;
    Tensor value;         // a view of weights()
    std::int64_t offset;  // of its first element
    bool trained = true;
  };

  // Lays out and binds the parameters of the model, which must outlive this object. Weights are
  // not initialised. dtype f64 is for tests on the reference backend.
  Parameters(Module& model, Backend& backend, Gradients gradients, DType dtype = DType::f32);
  ~Parameters();  // unbinds them: no tensor of the model may outlive the buffers
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(std::string_view name) const;
  std::int64_t count() const { return count_; }

  Tensor weights() const { return weights_; }               // [1, count]
  Tensor gradients() const { return weights_.gradient(); }  // [1, count]
  void zero_gradients();

  // Draws every parameter from its own stream of the seed, by name: adding a parameter to a model
  // does not change the others.
  void initialise(std::uint64_t seed);

 private:
  Module& model_;
  std::int64_t count_ = 0;
  Region region_;  // before the tensors in it, so that it goes after them
  Tensor weights_;
  std::vector<Entry> entries_;
};

}  // namespace yona
