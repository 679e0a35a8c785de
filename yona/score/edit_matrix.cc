#include "yona/score/edit_matrix.h"

#include <algorithm>
#include <cmath>

namespace yona {

namespace {

constexpr std::int32_t kUnreachable = 1 << 28;
constexpr std::int64_t kBeam = 25;

}  // namespace

EditMatrix::EditMatrix(Words hypothesis, Words reference)
    : hypothesis_(hypothesis), reference_(reference) {
  lay_out();
  fill_forward();
  fill_backward();
  distance_ = cost(hypothesis_.size(), reference_.size());
}

void EditMatrix::lay_out() {
  const std::size_t rows = hypothesis_.size() + 1;
  const std::size_t columns = reference_.size() + 1;
  const double ratio =
      static_cast<double>(reference_.size()) / static_cast<double>(hypothesis_.size());
  const std::int64_t beam = static_cast<double>(kBeam) < ratio / 2
                                ? std::llround(std::ceil(ratio / 2 + static_cast<double>(kBeam)))
                                : kBeam;
  bands_.resize(rows);
  for (std::size_t i = 1; i < rows; ++i) {
    const std::int64_t diagonal = std::llround(std::floor(static_cast<double>(i) * ratio));
    bands_[i].low = static_cast<std::size_t>(std::max<std::int64_t>(0, diagonal - beam));
    bands_[i].high = std::min(columns, static_cast<std::size_t>(diagonal + beam));
    bands_[i].origin = bands_[i - 1].low;  // the row before reads from there when going backward
  }
  bands_.back().high = columns;
  bands_[0].high = bands_[1].high;  // costs of row 0 are known everywhere; more are not read
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t last = bands_[std::min(i + 1, rows - 1)].high;  // read as a neighbour
    stride_ = std::max(stride_, bands_[i].cell(last) + 1);
  }
  before_.assign(rows * stride_, kUnreachable);
  after_.assign(rows * stride_, kUnreachable);
  scratch_.resize(2 * stride_);
}

void EditMatrix::forward_row(std::size_t i, std::uint32_t word, const std::int32_t* above,
                             std::int32_t* into) const {
  const Band& band = bands_[i];
  const std::int32_t* up = above + bands_[i - 1].cell(band.low);
  std::int32_t* cell = into + band.cell(band.low);
  std::int32_t left = kUnreachable;
  std::size_t j = band.low;
  if (j == 0) {
    *cell++ = left = *up++ + 1;
    ++j;
  }
  for (; j < band.high; ++j, ++up, ++cell) {
    const std::int32_t substituted = up[-1] + (word == reference_[j - 1] ? 0 : 1);
    left = std::min(substituted, std::min(up[0], left) + 1);
    *cell = left;
  }
}

void EditMatrix::fill_forward() {
  for (std::size_t j = 0; j < bands_[0].high; ++j) {
    before_[bands_[0].cell(j)] = static_cast<std::int32_t>(j);
  }
  for (std::size_t i = 1; i < bands_.size(); ++i) {
    forward_row(i, hypothesis_[i - 1], &before_[(i - 1) * stride_], &before_[i * stride_]);
  }
}

void EditMatrix::fill_backward() {
  const std::size_t columns = reference_.size() + 1;
  const std::size_t last = hypothesis_.size();
  for (std::size_t j = bands_[last].low; j < columns; ++j) {
    after_[last * stride_ + bands_[last].cell(j)] = static_cast<std::int32_t>(columns - 1 - j);
  }
  for (std::size_t i = last - 1; i > 0; --i) {
    const std::int32_t* below = &after_[(i + 1) * stride_];
    std::int32_t right = kUnreachable;
    for (std::size_t j = bands_[i].high; j-- > bands_[i].low;) {
      const std::size_t under = bands_[i + 1].cell(j);
      std::int32_t best = std::min(below[under], right) + 1;
      if (j + 1 < columns) {
        const std::int32_t change = hypothesis_[i] == reference_[j] ? 0 : 1;
        best = std::min(best, below[under + 1] + change);
      }
      after_[i * stride_ + bands_[i].cell(j)] = right = best;
    }
  }
}

std::int32_t EditMatrix::distance_with(Words words, std::size_t first, std::size_t last) {
  if (first == last) {
    return distance_;
  }
  const std::int32_t* above = &before_[first * stride_];
  std::int32_t* into = scratch_.data();
  for (std::size_t i = first + 1; i <= last; ++i) {
    std::fill_n(into, stride_, kUnreachable);
    forward_row(i, words[i - 1], above, into);
    above = into;
    into = into == scratch_.data() ? into + stride_ : scratch_.data();
  }
  const std::int32_t* rest = &after_[last * stride_];
  std::int32_t best = kUnreachable;
  for (std::size_t k = bands_[last].cell(bands_[last].low);
       k < bands_[last].cell(bands_[last].high); ++k) {
    best = std::min(best, above[k] + rest[k]);
  }
  return best;
}

EditMatrix::Alignment EditMatrix::alignment() const {
  std::size_t i = hypothesis_.size();
  std::size_t j = reference_.size();
  Alignment alignment{std::vector<std::int32_t>(j, -1), std::vector<bool>(j, false),
                      std::vector<bool>(i, false)};
  while (i > 0 || j > 0) {
    const bool differs = i > 0 && j > 0 && hypothesis_[i - 1] != reference_[j - 1];
    if (i > 0 && j > 0 && cost(i, j) == cost(i - 1, j - 1) + (differs ? 1 : 0)) {
      --i;
      --j;
      alignment.place[j] = static_cast<std::int32_t>(i);
      alignment.hypothesis_is_wrong[i] = alignment.reference_is_wrong[j] = differs;
    } else if (j == 0 || (i > 0 && cost(i, j) == cost(i - 1, j) + 1)) {
      alignment.hypothesis_is_wrong[--i] = true;
    } else {
      --j;
      alignment.place[j] = static_cast<std::int32_t>(i) - 1;
      alignment.reference_is_wrong[j] = true;
    }
  }
  return alignment;
}

}  // namespace yona
