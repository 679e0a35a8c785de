// The weights of a model folder, each read when it is first asked for: a program that has opened a
// model is ready at once, and what it never uses is never read.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "yona/io/model_folder.h"
#include "yona/nn/parameters.h"

namespace yona {

// Is it a parameter that linear(), matmul() or embed() are given, which ask for it before they
// read?
bool is_read_late(std::string_view parameter);

class LazyWeights {
 public:
  // Opens the folder, verifies it (ModelFolder::verify()) and checks that every parameter is there,
  // of its shape. Those that ops read
  // without asking PackedWeights (biases, norms, learned positions) are read now. The parameters
  // must outlive this object. Throws as read_weights() does.
  LazyWeights(const std::filesystem::path& folder, const Parameters& parameters);

  // Reads the parameters of which `part` of the weights holds something, once each. Not
  // thread-safe: PackedWeights asks for one at a time.
  void read(const Tensor& part);

  // The values of a contiguous `part` of the weights, from the file to `to` alone, as often as it
  // is asked for.
  void copy_to(const Tensor& part, float* to) const;

 private:
  struct Weight {
    Tensor to;
    NamedArray from;
    bool is_read = false;
  };
  // The first whose end is after this address.
  std::vector<Weight>::const_iterator first_after(const float* address) const;
  void copy(Weight& weight) const;

  ModelFolder file_;
  std::vector<Weight> weights_;  // in the buffer's order
};

}  // namespace yona
