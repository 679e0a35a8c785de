// What kernels are given: matrix products, in f32, bf16 and bytes, and the forms of weights that
// they read. Conventions are in kernel_args.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "yona/backend/view.h"

namespace yona {

enum class Activation : std::uint8_t { none, relu };
// Of the operands of matrix products. f16 is for inference on GPUs.
enum class Precision : std::uint8_t { f32, bf16, f16 };
constexpr std::array<std::string_view, 3> enum_names(Precision) { return {"f32", "bf16", "f16"}; }

// c = op(a) · op(b) (+ c) (+ bias in every row), then the activation.
// With Precision::bf16 operands are f32, and rounded by the kernel, or have been rounded before: a
// bf16 operand whose rows are tokens is followed by zeros up to a multiple of kRoundedRows rows.
inline constexpr std::int64_t kRoundedRows = 64;
struct MatmulArgs {
  View a{}, b{}, c{};
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
  View bias{};  // [1, n]
  Activation activation = Activation::none;
  Precision precision = Precision::f32;
};

// y = x rounded to bf16 (or, on a GPU, to f16); rows of y after those of x become zero.
struct RoundArgs {
  View x{};  // f32
  View y{};  // bf16 or f16, contiguous
};

// Weights [n, k] that stay as they are while they are multiplied with can be put, in place, into
// the order in which a product reads them: panels of kPanelRows rows (the last one may have fewer),
// each of them transposed, [k][rows of the panel]. Contiguous.
inline constexpr std::int64_t kPanelRows = 64;
struct PackArgs {
  View weights{};
};

// y = activation(x · weightsᵀ + bias) with packed weights [n, k]. A row of y depends on its row of
// x alone, not on how many rows there are: the same bits come out of any batch.
struct PackedMatmulArgs {
  View x{}, weights{}, y{};
  View bias{};  // [1, n], optional
  Activation activation = Activation::none;
};

// Weights [n, k] once more in a quarter of the memory, to see quickly where a product is largest:
// row r is about scales[r] · values[r], and for any x the product with one differs from that with
// the other by at most errors[r] · ‖x‖, rounding in f32 included.
struct Screen {
  View values{};  // i8 [panels, k · kPanelRows]: packed, the last panel filled with zeros
  View scales{}, errors{};  // f32 [1, n]
};
struct ScreenArgs {
  View weights{};  // packed
  Screen screen{};
};

// y = x · weightsᵀ as far as it takes to know the largest elements of each row: those that may be
// among them have the bits that packed_matmul gives; the others are smaller than all of them, and
// off by at most their error · ‖x‖.
inline constexpr std::int64_t kMostScreened = 8;
struct ScreenedMatmulArgs {
  View x{}, weights{}, y{};  // weights packed
  Screen screen{};
  std::int64_t largest = 1;  // how many to know: at most kMostScreened
};

// Weights [n, k] in bytes: row r is about scales[r] · its values. They lie in panels of kPanelRows
// rows (zeros in those that the last one has not), in each of which kInt8Group adjacent elements of
// one row stand beside those of the next: [⌈k / kInt8Group⌉][row of the panel][kInt8Group], with
// zeros after the k-th (see panels.h). Rows whose elements are not all numbers have a scale of NaN.
inline constexpr std::int64_t kInt8Group = 4;
struct Int8Weights {
  View values{};  // i8 [panels, elements of a panel]
  View scales{};  // f32 [1, panels · kPanelRows], zeros after the n-th
  View sums{};    // i32 likewise: the sum of each row's values
};

// to ← weights: scale = largest |w| of the row / 127, value = w / scale rounded to nearest even.
struct QuantiseArgs {
  View weights{};  // f32 [n, k]
  Int8Weights to{};
};

// y = activation(x̂ · weightsᵀ + bias), where x̂ is each row of x rounded to bytes as rows of weights
// are. The sum over k is one of integers and exact: a row's bits depend on that row alone. A row of
// x with an element that is not a number gives NaN.
struct Int8MatmulArgs {
  View x{};  // f32 [rows, k]
  Int8Weights weights{};
  View y{};     // f32 [rows, n]
  View bias{};  // f32 [1, n], optional
  Activation activation = Activation::none;
};

}  // namespace yona
