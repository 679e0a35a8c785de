#include "yona/text/encoder_tokenizer.h"

#include <algorithm>
#include <array>

#include "yona/base/error.h"
#include "yona/text/piece_scan.h"

namespace yona {

namespace {

constexpr std::string_view kWordBegin = "Ġ";  // how byte-level BPE writes a space

void cut_to(std::int64_t room, std::vector<std::int32_t>& first,
            std::vector<std::int32_t>& second) {
  while (static_cast<std::int64_t>(first.size() + second.size()) > room) {
    (first.size() > second.size() ? first : second).pop_back();
  }
}

}  // namespace

bool EncoderTokenizer::is_special(std::int32_t id) const {
  return id == special_.begin || id == special_.end || id == special_.mask || id == special_.pad ||
         id == special_.unknown;
}

bool EncoderTokenizer::continues_word(std::int32_t id) const {
  return !is_special(id) && (special_.marks_continuation ? piece(id).starts_with("##")
                                                         : !piece(id).starts_with(kWordBegin));
}

std::string EncoderTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::vector<std::int32_t> plain;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(plain),
               [&](std::int32_t id) { return !is_special(id); });
  return segmenter_->decode(plain);
}

void EncoderTokenizer::append(std::string_view text, std::vector<std::int32_t>& ids) const {
  const std::array<std::int32_t, 5> special{special_.begin, special_.end, special_.mask,
                                            special_.unknown, special_.pad};
  std::vector<std::string_view> pieces;
  for (const std::int32_t id : special) {
    pieces.push_back(id < 0 ? std::string_view() : piece(id));
  }
  PieceScan scan(text, pieces);
  for (std::size_t begin = 0; begin < text.size();) {
    const PieceScan::Found next = scan.next(begin);
    const bool is_end = next.at == std::string_view::npos;
    std::string_view before = text.substr(begin, next.at - begin);
    if (!is_end && special[next.piece] == special_.mask && special_.mask_takes_space) {
      before = before.substr(0, before.find_last_not_of(" \t\n") + 1);
    }
    if (!before.empty() && begin == 0) {
      segmenter_->encode(before, ids);
    } else if (!before.empty()) {
      segmenter_->encode_rest(before, ids);
    }
    if (is_end) {
      return;
    }
    ids.push_back(special[next.piece]);
    begin = next.at + pieces[next.piece].size();
  }
}

EncodedText EncoderTokenizer::encode(std::string_view first,
                                     const std::optional<std::string_view>& second,
                                     std::int64_t max_length) const {
  std::vector<std::int32_t> a;
  std::optional<std::vector<std::int32_t>> b;
  append(first, a);
  if (second) {
    append(*second, b.emplace());
  }
  return framed(std::move(a), std::move(b), max_length);
}

EncodedText EncoderTokenizer::framed(std::vector<std::int32_t> a,
                                     std::optional<std::vector<std::int32_t>> b,
                                     std::int64_t max_length) const {
  const std::int64_t frame = b ? (special_.two_ends_between ? 4 : 3) : 2;
  check(max_length > frame, "a text of at most {} tokens has no room besides {} special ones",
        max_length, frame);
  std::vector<std::int32_t> none;
  std::vector<std::int32_t>& second = b ? *b : none;
  const std::size_t whole = a.size() + second.size();
  cut_to(max_length - frame, a, second);
  EncodedText text;
  text.is_cut = a.size() + second.size() < whole;
  text.ids.push_back(special_.begin);
  text.ids.insert(text.ids.end(), a.begin(), a.end());
  text.ids.push_back(special_.end);
  text.types.assign(text.ids.size(), 0);
  if (b) {
    if (special_.two_ends_between) {
      text.ids.push_back(special_.end);
    }
    text.ids.insert(text.ids.end(), second.begin(), second.end());
    text.ids.push_back(special_.end);
    text.types.resize(text.ids.size(), special_.two_ends_between ? 0 : 1);
  }
  return text;
}

}  // namespace yona
