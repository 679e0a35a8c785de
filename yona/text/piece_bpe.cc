#include "yona/text/piece_bpe.h"

#include "yona/text/utf8.h"

namespace yona {

PieceBpe::PieceBpe(const std::shared_ptr<const Vocabulary>& vocabulary,
                   const std::vector<BpeMerges::Pair>& merges, PieceTextOptions text,
                   PieceBpeOptions options, std::string_view name)
    : PieceSegmenter(vocabulary, std::move(text)),
      merges_(merges, *vocabulary, name, options.continuation_mark),
      options_(std::move(options)) {}

// An <unk> waits for the next known character: the bytes of others come before it, as in
// tokenizers.
void PieceBpe::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  if (options_.takes_whole_words) {
    if (const auto id = vocabulary().find_text(word)) {
      ids.push_back(*id);
      return;
    }
  }
  std::vector<std::int32_t> symbols;
  bool unknown_waits = false;
  const auto append_unknown = [&] {
    if (unknown_waits) {
      symbols.push_back(vocabulary().unknown());
    }
  };
  std::string character;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t length = utf8_length(word.substr(at));
    character.assign(at > 0 ? options_.continuation_mark : "").append(word.substr(at, length));
    at += length;
    character.append(at == word.size() ? options_.end_mark : "");
    if (const auto id = vocabulary().find(character)) {
      append_unknown();
      unknown_waits = false;
      symbols.push_back(*id);
    } else if (!append_bytes(character, symbols) && !options_.drops_unknown) {
      if (!options_.fuses_unknown) {
        append_unknown();
      }
      unknown_waits = true;
    }
  }
  append_unknown();
  merges_.merge(symbols);
  ids.insert(ids.end(), symbols.begin(), symbols.end());
}

}  // namespace yona
