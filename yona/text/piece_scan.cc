#include "yona/text/piece_scan.h"

#include <utility>

namespace yona {

PieceScan::PieceScan(std::string_view text, std::vector<std::string_view> pieces)
    : text_(text), pieces_(std::move(pieces)) {
  places_.reserve(pieces_.size());
  for (const std::string_view piece : pieces_) {
    places_.push_back(piece.empty() ? std::string_view::npos : text_.find(piece));
  }
}

PieceScan::Found PieceScan::next(std::size_t from) {
  Found found;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    if (places_[i] < from) {
      places_[i] = text_.find(pieces_[i], from);
    }
    if (places_[i] < found.at) {
      found = {places_[i], i};
    }
  }
  return found;
}

}  // namespace yona
