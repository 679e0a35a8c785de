// Between the tensors and the products of attention_product-inl.h, which need rows of whole
// vectors: where a head is that wide its rows are used where they are, else through padded copies.
// Also transposed copies. Once per instruction set.

#if defined(YONA_BACKEND_CPU_ATTENTION_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_PACK_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_PACK_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_PACK_INL_H_
#endif

#include "yona/backend/cpu/attention_product-inl.h"
#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/vector-inl.h"
#include "yona/backend/view.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

using yona::HWY_NAMESPACE::for_each_vector;
using yona::HWY_NAMESPACE::load;
using yona::HWY_NAMESPACE::store;

inline std::int64_t round_up(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// Rows of one head of a tensor.
struct HeadRows {
  float* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

inline HeadRows head_rows(const View& view, std::int64_t first_row, std::int64_t rows,
                          std::int64_t head, std::int64_t columns) {
  return {view.row<float>(first_row) + head * columns, view.stride, rows, columns};
}

inline void clear_rows(const HeadRows& rows) {
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    std::fill_n(rows.data + row * rows.stride, rows.columns, 0.0F);
  }
}

inline bool whole_vectors(const HeadRows& rows) { return rows.columns % kLanes == 0; }

// The rows themselves, or their copy in `scratch`, filled up with zeros to round_up(columns).
HWY_INLINE HeadRows padded_rows(const HeadRows& from, Scratch<float>& scratch) {
  if (whole_vectors(from)) {
    return from;
  }
  const Floats d;
  const std::int64_t width = round_up(from.columns);
  HeadRows to{elements_of(scratch, from.rows * width), width, from.rows, width};
  for (std::int64_t row = 0; row < from.rows; ++row) {
    const float* HWY_RESTRICT source = from.data + row * from.stride;
    float* HWY_RESTRICT target = to.data + row * to.stride;
    for_each_vector(d, from.columns, [&](std::int64_t column, auto part) YONA_INLINE_LAMBDA {
      hn::Store(load(d, source + column, part), d, target + column);
    });
  }
  return to;
}

// Where the rows of a vector's lanes start: one after another, or, where fewer are left than lanes,
// with the last one repeated.
struct EqualStrides {
  const float* first;
  std::int64_t stride;
  const float* operator[](std::size_t lane) const {
    return first + static_cast<std::int64_t>(lane) * stride;
  }
};

struct LastRows {
  const float* rows[kLanes];
  LastRows(const HeadRows& from, std::int64_t first) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      rows[lane] = from.data + std::min(first + lane, from.rows - 1) * from.stride;
    }
  }
  const float* operator[](std::size_t lane) const { return rows[lane]; }
};

// Four columns of kLanes rows, transposed: row 4b + t goes to lane t of 128-bit block b, and the
// 4 × 4 blocks are transposed in place.
template <class Rows>
HWY_INLINE void transpose_columns(const Rows& rows, std::int64_t column, Vector factor,
                                  float* HWY_RESTRICT to, std::int64_t to_row) {
  const Floats d;
  Vector x[4];
#pragma GCC unroll 4
  for (std::size_t t = 0; t < 4; ++t) {
    x[t] = hn::LoadDup128(d, rows[t] + column);
#pragma GCC unroll 4
    for (std::size_t block = 4; block < kLanes; block += 4) {
      x[t] =
          hn::IfThenElse(hn::FirstN(d, block), x[t], hn::LoadDup128(d, rows[block + t] + column));
    }
  }
  const Vector low02 = hn::InterleaveLower(d, x[0], x[2]);
  const Vector low13 = hn::InterleaveLower(d, x[1], x[3]);
  const Vector high02 = hn::InterleaveUpper(d, x[0], x[2]);
  const Vector high13 = hn::InterleaveUpper(d, x[1], x[3]);
  hn::Store(hn::Mul(factor, hn::InterleaveLower(d, low02, low13)), d, to);
  hn::Store(hn::Mul(factor, hn::InterleaveUpper(d, low02, low13)), d, to + to_row);
  hn::Store(hn::Mul(factor, hn::InterleaveLower(d, high02, high13)), d, to + 2 * to_row);
  hn::Store(hn::Mul(factor, hn::InterleaveUpper(d, high02, high13)), d, to + 3 * to_row);
}

template <class Rows>
HWY_INLINE void transpose_rows(const Rows& rows, std::int64_t columns, float scale,
                               float* HWY_RESTRICT to, std::int64_t to_row) {
  const Vector factor = hn::Set(Floats(), scale);
  std::int64_t column = 0;
  for (; column + 4 <= columns; column += 4) {
    transpose_columns(rows, column, factor, to + column * to_row, to_row);
  }
  for (; column < columns; ++column) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      to[column * to_row + static_cast<std::int64_t>(lane)] = scale * rows[lane][column];
    }
  }
}

// to[column][row] = scale · from. Lanes beyond the last row repeat it: finite, and never used.
HWY_INLINE void pack_transposed(const HeadRows& from, float scale, float* HWY_RESTRICT to) {
  const std::int64_t width = round_up(from.rows);
  std::int64_t row = 0;
  for (; row + kLanes <= from.rows; row += kLanes) {
    transpose_rows(EqualStrides{from.data + row * from.stride, from.stride}, from.columns, scale,
                   to + row, width);
  }
  if (row < from.rows) {
    transpose_rows(LastRows(from, row), from.columns, scale, to + row, width);
  }
}

// to (+)= from, where `from` are padded rows.
HWY_INLINE void unpad_rows(const HeadRows& from, bool accumulate, const HeadRows& to) {
  const Floats d;
  for (std::int64_t row = 0; row < to.rows; ++row) {
    const float* HWY_RESTRICT source = from.data + row * from.stride;
    float* HWY_RESTRICT target = to.data + row * to.stride;
    for_each_vector(d, to.columns, [&](std::int64_t column, auto part) YONA_INLINE_LAMBDA {
      const Vector before = accumulate ? load(d, target + column, part) : hn::Zero(d);
      store(d, hn::Add(before, hn::Load(d, source + column)), target + column, part);
    });
  }
}

// to (+)= A · B for the A and B of `product`.
template <class Range>
HWY_INLINE void multiply_into(Product product, const HeadRows& to, bool accumulate,
                              Scratch<float>& scratch, const Range& range) {
  const std::int64_t width = round_up(to.columns);
  product.accumulate = accumulate;
  product.c = to.data;
  product.c_row = to.stride;
  if (!whole_vectors(to)) {
    product.accumulate = false;
    product.c = elements_of(scratch, to.rows * width);
    product.c_row = width;
  }
  multiply(product, to.rows, width / kLanes, range);
  if (!whole_vectors(to)) {
    unpad_rows({product.c, width, to.rows, width}, accumulate, to);
  }
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
