#include "yona/base/text_pieces.h"

namespace yona {

namespace {

constexpr std::size_t kCopied = 4096;  // up to this a copy costs less than one more piece

}  // namespace

TextPieces::TextPieces(std::string text) {
  if (!text.empty()) {
    pieces_.push_back(std::move(text));
  }
}

void TextPieces::add(TextPieces text) {
  for (std::string& piece : text.pieces_) {
    if (piece.size() <= kCopied && !is_full()) {
      pieces_.back() += piece;
    } else {
      pieces_.push_back(std::move(piece));
    }
  }
}

std::size_t TextPieces::bytes() const {
  std::size_t bytes = 0;
  for (const std::string& piece : pieces_) {
    bytes += piece.size();
  }
  return bytes;
}

std::string TextPieces::joined() && {
  if (pieces_.size() == 1) {
    return std::move(pieces_.front());
  }
  std::string text;
  text.reserve(bytes());
  for (std::string& piece : pieces_) {
    text += piece;
    std::string().swap(piece);
  }
  pieces_.clear();
  return text;
}

}  // namespace yona
