// Weights as files keep them, in f32, f16 or bf16, copied in f32.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/io/safetensors.h"
#include "yona/tensor/tensor.h"

namespace yona {

// `to` gets as many elements as it has, from element `first` of the array on. Throws FormatError
// naming the file and the array for a type that is none of the three, and as NamedArray::copy().
void copy_weights(const Tensor& to, const NamedArray& from, std::int64_t first = 0);

// The same for `count` elements of memory on the host.
void copy_floats(float* to, std::size_t count, const NamedArray& from, std::int64_t first = 0);

// Are they one and the same in memory or in a file?
bool same_place(const NamedArray& a, const NamedArray& b);
// Have they equal types, shapes and elements? Reads both, where they are not the same.
bool equal_arrays(const NamedArray& a, const NamedArray& b);

// All elements of an array of one of the three types.
std::vector<float> floats_of(const NamedArray& array);

}  // namespace yona
