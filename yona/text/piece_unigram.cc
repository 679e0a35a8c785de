// The best segmentation of the text up to each position, from left to right (Viterbi). A trie of
// the pieces gives all that begin at a position.

#include "yona/text/piece_unigram.h"

#include <algorithm>

#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::int32_t kUnknownPiece = -1;

// The best way to a position: where its last piece begins.
struct BestPath {
  double score = 0;
  std::size_t begin = 0;
  std::int32_t id = kUnknownPiece;
  bool is_reached = false;
};

}  // namespace

PieceUnigram::PieceUnigram(std::shared_ptr<const Vocabulary> known,
                           std::vector<UnigramPiece> pieces, double unknown_score,
                           PieceTextOptions text)
    : PieceSegmenter(std::move(known), std::move(text)), unknown_score_(unknown_score) {
  const auto text_of = [&](const UnigramPiece& piece) -> std::string_view {
    return vocabulary().piece(piece.id);
  };
  std::erase_if(pieces, [&](const UnigramPiece& piece) {
    return text_of(piece).empty() || !vocabulary().find_text(text_of(piece));
  });
  std::sort(pieces.begin(), pieces.end(),
            [&](const UnigramPiece& a, const UnigramPiece& b) { return text_of(a) < text_of(b); });
  // Of the pieces that begin as a node does: those that go on with the same byte are its child.
  struct Range {
    std::size_t begin, end, depth;
  };
  nodes_.emplace_back();
  std::vector<Range> ranges = {{0, pieces.size(), 0}};
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    auto [begin, end, depth] = ranges[node];
    if (begin < end && text_of(pieces[begin]).size() == depth) {
      nodes_[node].piece = pieces[begin++];
    }
    nodes_[node].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (begin < end) {
      const char byte = text_of(pieces[begin])[depth];
      std::size_t next = begin + 1;
      while (next < end && text_of(pieces[next])[depth] == byte) {
        ++next;
      }
      nodes_.push_back({.byte = static_cast<std::uint8_t>(byte)});
      ranges.push_back({begin, next, depth + 1});
      ++nodes_[node].children;
      begin = next;
    }
  }
}

const PieceUnigram::Node* PieceUnigram::child(const Node& node, char byte) const {
  const auto wanted = static_cast<std::uint8_t>(byte);
  const auto begin = nodes_.begin() + node.first_child;
  const auto end = begin + node.children;
  const auto found = std::lower_bound(
      begin, end, wanted, [](const Node& each, std::uint8_t to) { return each.byte < to; });
  return found != end && found->byte == wanted ? &*found : nullptr;
}

// Of equal scores the first one found stays: the last piece of a segmentation is as long as it can
// be. score(end) = max over pieces of score(begin) + score(piece)
void PieceUnigram::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  std::vector<BestPath> best(word.size() + 1);
  const auto offer = [&](std::size_t begin, std::size_t end, const UnigramPiece& piece) {
    const double total = piece.score + best[begin].score;
    if (!best[end].is_reached || total > best[end].score) {
      best[end] = {total, begin, piece.id, true};
    }
  };
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t next = begin + utf8_length(word.substr(begin));
    bool has_character = false;
    const Node* node = nodes_.data();
    for (std::size_t end = begin; end < word.size();) {
      node = child(*node, word[end++]);
      if (node == nullptr) {
        break;
      }
      if (node->piece.id != kUnknownPiece) {
        offer(begin, end, node->piece);
        has_character = has_character || end == next;
      }
    }
    if (!has_character) {
      offer(begin, next, {kUnknownPiece, unknown_score_});
    }
    begin = next;
  }
  std::vector<std::pair<std::string_view, std::int32_t>> backwards;
  for (std::size_t end = word.size(); end > 0; end = best[end].begin) {
    const BestPath& path = best[end];
    const std::string_view text = word.substr(path.begin, end - path.begin);
    const bool goes_on =
        path.id == kUnknownPiece && !backwards.empty() && backwards.back().second == kUnknownPiece;
    if (goes_on) {  // unknown neighbours are one
      backwards.back().first = word.substr(path.begin, text.size() + backwards.back().first.size());
    } else {
      backwards.emplace_back(text, path.id);
    }
  }
  std::reverse(backwards.begin(), backwards.end());
  for (const auto& [text, id] : backwards) {
    if (id != kUnknownPiece) {
      ids.push_back(id);
    } else {
      append_unknown(text, ids);
    }
  }
}

// Several unknown characters together may be a piece after all.
void PieceUnigram::append_unknown(std::string_view text, std::vector<std::int32_t>& ids) const {
  const Node* node = nodes_.data();
  for (std::size_t at = 0; at < text.size() && node != nullptr; ++at) {
    node = child(*node, text[at]);
  }
  if (node != nullptr && node->piece.id != kUnknownPiece) {
    ids.push_back(node->piece.id);
  } else if (!append_bytes(text, ids)) {
    ids.push_back(vocabulary().unknown());
  }
}

}  // namespace yona
