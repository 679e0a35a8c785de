// A long text as a list of short ones. It grows without being copied, and is written to a socket
// piece by piece: answers of megabytes cost no copies and no large blocks of memory.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yona {

class TextPieces {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;  // after which one is full

  TextPieces() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): every text is one of one piece
  TextPieces(std::string text);

  // What may be appended to: the last piece, or a new one where that is full.
  std::string& last() {
    if (is_full()) {
      pieces_.emplace_back();
    }
    return pieces_.back();
  }
  bool is_full() const { return pieces_.empty() || pieces_.back().size() >= kPieceBytes; }

  void append(std::string_view text) { last() += text; }
  // Long pieces are moved.
  void add(TextPieces text);

  const std::vector<std::string>& pieces() const { return pieces_; }
  std::size_t bytes() const;
  bool is_empty() const { return bytes() == 0; }
  // As one text. Pieces are freed as they are copied.
  std::string joined() &&;
  std::string joined() const& { return TextPieces(*this).joined(); }
  // Each of at least one byte.
  std::vector<std::string> take() && { return std::move(pieces_); }

 private:
  std::vector<std::string> pieces_;
};

}  // namespace yona
