// Weights as files keep them, in f32, f16 or bf16, copied in f32.
#pragma once

#include <vector>

#include "yona/io/safetensors.h"
#include "yona/tensor/tensor.h"

namespace yona {

// `to` gets as many elements as it has, from `from` in the file's type. Throws FormatError naming
// `name` for a type that is none of the three.
void copy_weights(const Tensor& to, const void* from, DType type, std::string_view name);

// The same for memory on the host.
void copy_floats(float* to, std::size_t count, const void* from, DType type, std::string_view name);

// All elements of an array of one of the three types.
std::vector<float> floats_of(const NamedArray& array);

}  // namespace yona
