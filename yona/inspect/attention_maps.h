// The attention weights of one pair of sentences: those of every layer and head, with the tokens
// that they belong to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

enum class AttentionPart : std::uint8_t { encoder, decoder, cross };
inline constexpr std::array kAttentionParts = {AttentionPart::encoder, AttentionPart::decoder,
                                               AttentionPart::cross};
// "encoder", "decoder", "cross"
std::string_view name_of(AttentionPart part);
// "encoder self-attention" …
std::string_view title_of(AttentionPart part);

// One layer of one part: [heads, queries, keys]; each row sums to one.
struct AttentionMap {
  AttentionPart part = AttentionPart::cross;
  std::int64_t layer = 0;  // from 0
  std::int64_t heads = 0, queries = 0, keys = 0;
  std::vector<float> weights;

  std::span<const float> head(std::int64_t index) const;
  std::span<const float> row(std::int64_t head, std::int64_t query) const;
  // [queries, keys]: the mean over the heads.
  std::vector<float> mean() const;
};

// Tokens are sub-word pieces. The decoder reads <pad> and then the target; what it writes at each
// step is the next token, </s> at the end. So a row of its self-attention belongs to the token that
// was read, and a row of the cross attention to the token that was about to be written.
struct AttentionMaps {
  std::string source, target;
  bool translated = false;  // the target is the model's own translation
  std::string source_language, target_language;
  std::vector<std::string> source_tokens;   // … </s>
  std::vector<std::string> target_tokens;   // as written: y_1 … y_n </s>
  std::vector<std::string> decoder_tokens;  // as read: <pad> y_1 … y_n
  std::vector<AttentionMap> maps;           // by part, then by layer

  std::int64_t heads() const { return maps.empty() ? 0 : maps.front().heads; }
  std::int64_t layers(AttentionPart part) const;
  // Throws InvalidArgument for a layer that is not there.
  const AttentionMap& at(AttentionPart part, std::int64_t layer) const;
  const std::vector<std::string>& query_tokens(AttentionPart part) const;
  const std::vector<std::string>& key_tokens(AttentionPart part) const;
};

// Tokens as people read them, without the mark of a word's beginning (U+2581); the decoder's <pad>
// as "<start>".
std::vector<std::string> labels(const std::vector<std::string>& tokens);

}  // namespace yona
