// The edit distance between a hypothesis and a reference, along a band around the diagonal, with
// its alignment; and quickly again for the hypothesis with some words in other places.
//
// Row i of the matrix stands behind i words of the hypothesis, column j behind j of the reference.
// The band is sacreBLEU's: 25 columns to each side of the line from corner to corner, more where
// the reference is over fifty times as long.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace yona {

class EditMatrix {
 public:
  using Words = std::span<const std::uint32_t>;

  // The hypothesis must have a word; both must outlive this object.
  EditMatrix(Words hypothesis, Words reference);

  std::int32_t distance() const { return distance_; }

  // The distance of words that differ from the hypothesis in [first, last) alone; as many words.
  // Only these rows are computed: above them nothing has changed, and what remains below is known.
  std::int32_t distance_with(Words words, std::size_t first, std::size_t last);

  // The cheapest edits: of equally cheap ones substitution before deletion before insertion.
  struct Alignment {
    // By word of the reference: its place in the hypothesis, or, for one that is missing there,
    // that of the word before it (-1: none).
    std::vector<std::int32_t> place;
    std::vector<bool> reference_is_wrong;
    std::vector<bool> hypothesis_is_wrong;
  };
  Alignment alignment() const;

 private:
  // A row's cells are kept from `origin` on, a few more than its columns [low, high): neighbours
  // that lie off the band are read as unreachable.
  struct Band {
    std::size_t low = 0, high = 0;
    std::size_t origin = 0;  // of column + 1, so that column -1 has a cell

    std::size_t cell(std::size_t column) const { return column + 1 - origin; }
  };

  void lay_out();
  void fill_forward();
  void fill_backward();
  void forward_row(std::size_t i, std::uint32_t word, const std::int32_t* above,
                   std::int32_t* into) const;
  std::int32_t cost(std::size_t i, std::size_t j) const {
    return before_[i * stride_ + bands_[i].cell(j)];
  }

  Words hypothesis_, reference_;
  std::vector<Band> bands_;  // by row
  std::size_t stride_ = 0;
  std::vector<std::int32_t> before_;   // the cheapest way from the first corner to a cell
  std::vector<std::int32_t> after_;    // and from it to the last corner
  std::vector<std::int32_t> scratch_;  // two rows
  std::int32_t distance_ = 0;
};

}  // namespace yona
