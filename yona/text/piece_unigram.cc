// The best segmentation of the text up to each position, from left to right (Viterbi). Pieces with
// a common beginning are neighbours in the sorted list, so that each further byte narrows a range.

#include "yona/text/piece_unigram.h"

#include <algorithm>

#include "yona/text/utf8.h"

namespace yona {

namespace {

// The best way to a position: where its last piece begins.
struct BestPath {
  double score = 0;
  std::size_t begin = 0;
  bool is_reached = false;
  bool is_unknown = false;
};

}  // namespace

PieceUnigram::PieceUnigram(std::shared_ptr<const Vocabulary> known,
                           std::vector<UnigramPiece> pieces, double unknown_score,
                           PieceTextOptions text)
    : PieceSegmenter(std::move(known), std::move(text)),
      pieces_(std::move(pieces)),
      unknown_score_(unknown_score) {
  std::erase_if(pieces_, [&](const UnigramPiece& piece) {
    return text_of(piece).empty() || !vocabulary().find_text(text_of(piece));
  });
  std::sort(pieces_.begin(), pieces_.end(),
            [&](const UnigramPiece& a, const UnigramPiece& b) { return text_of(a) < text_of(b); });
}

std::string_view PieceUnigram::text_of(const UnigramPiece& piece) const {
  return vocabulary().piece(piece.id);
}

// Of equal scores the first one found stays: the last piece of a segmentation is as long as it can
// be. score(end) = max over pieces of score(begin) + score(piece)
void PieceUnigram::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  std::vector<BestPath> best(word.size() + 1);
  const auto offer = [&](std::size_t begin, std::size_t end, double score, bool is_unknown) {
    const double total = score + best[begin].score;
    if (!best[end].is_reached || total > best[end].score) {
      best[end] = {total, begin, true, is_unknown};
    }
  };
  for (std::size_t begin = 0; begin < word.size();) {
    const std::size_t next = begin + utf8_length(word.substr(begin));
    bool has_character = false;
    auto first = pieces_.begin();
    auto last = pieces_.end();
    for (std::size_t end = begin; end < word.size() && first != last; ++end) {
      const std::size_t at = end - begin;
      const auto byte = static_cast<unsigned char>(word[end]);
      const auto byte_of = [&](const UnigramPiece& piece) {
        const std::string_view text = text_of(piece);
        return at < text.size() ? static_cast<unsigned char>(text[at]) : -1;
      };
      first = std::partition_point(first, last, [&](const auto& p) { return byte_of(p) < byte; });
      last = std::partition_point(first, last, [&](const auto& p) { return byte_of(p) == byte; });
      if (first != last && text_of(*first).size() == at + 1) {
        offer(begin, end + 1, first->score, false);
        has_character = has_character || end + 1 == next;
      }
    }
    if (!has_character) {
      offer(begin, next, unknown_score_, true);
    }
    begin = next;
  }
  std::vector<std::string_view> backwards;  // unknown neighbours are one
  bool was_unknown = false;
  for (std::size_t end = word.size(); end > 0; end = best[end].begin) {
    const BestPath& path = best[end];
    const std::string_view text = word.substr(path.begin, end - path.begin);
    if (path.is_unknown && was_unknown) {
      backwards.back() = word.substr(path.begin, text.size() + backwards.back().size());
    } else {
      backwards.push_back(text);
    }
    was_unknown = path.is_unknown;
  }
  std::for_each(backwards.rbegin(), backwards.rend(),
                [&](std::string_view text) { append(text, ids); });
}

void PieceUnigram::append(std::string_view text, std::vector<std::int32_t>& ids) const {
  const auto found = std::lower_bound(
      pieces_.begin(), pieces_.end(), text,
      [&](const UnigramPiece& piece, std::string_view to) { return text_of(piece) < to; });
  if (found != pieces_.end() && text_of(*found) == text) {
    ids.push_back(found->id);
  } else if (!append_bytes(text, ids)) {
    ids.push_back(vocabulary().unknown());
  }
}

}  // namespace yona
