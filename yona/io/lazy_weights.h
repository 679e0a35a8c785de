// The weights of a model folder, each read when it is first asked for: a program that has opened a
// model is ready at once, and what it never uses is never read.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "yona/io/model_folder.h"
#include "yona/nn/parameters.h"

namespace yona {

// Is it a parameter that linear(), matmul() or embed() are given, which ask for it before they
// read?
bool is_read_late(std::string_view parameter);

// Where the values of a parameter are: in an array of its shape, or in rows of a larger one.
struct WeightSource {
  NamedArray from;
  bool transposed = false;  // the array is [in, out] where the parameter is [out, in]
  std::int64_t first = 0;   // row of the array, of `out` where it is transposed, that is its first

  // Elements `begin` … of the parameter of this shape, to `to`. Of a transposed one: whole rows.
  void copy(const Shape& shape, std::int64_t begin, std::int64_t count, float* to) const;
};

class LazyWeights {
 public:
  // Opens the folder, verifies it (ModelFolder::verify()) and checks that every parameter is there,
  // of its shape. Those that ops read
  // without asking PackedWeights (biases, norms, learned positions) are read now. The parameters
  // must outlive this object. Throws as read_weights() does.
  LazyWeights(const std::filesystem::path& folder, const Parameters& parameters);
  // The same from a source for each entry of the parameters, in their order; `files` is what they
  // read from, and is kept.
  LazyWeights(const Parameters& parameters, std::vector<WeightSource> sources,
              std::shared_ptr<const void> files);

  // The type of 2 bytes that all matrices which are read late have in their files; else f32.
  DType half_type() const;

  // Reads all that has not been read.
  void read_all();
  // Reads the parameters of which `part` of the weights holds something, once each. Not
  // thread-safe: PackedWeights asks for one at a time.
  void read(const Tensor& part);

  // The values of a contiguous `part` of the weights, from the file to `to` alone, as often as it
  // is asked for.
  void copy_to(const Tensor& part, float* to) const;

 private:
  struct Weight {
    Tensor to;
    WeightSource from;
    bool is_late = false;
    bool is_read = false;
  };
  // The first whose end is after this address.
  std::vector<Weight>::const_iterator first_after(const float* address) const;
  void copy(Weight& weight) const;

  std::shared_ptr<const void> files_;  // which the sources point to
  std::vector<Weight> weights_;        // in the buffer's order
};

}  // namespace yona
