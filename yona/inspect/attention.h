// What every head of a model looked at: the weights of all attentions for one pair of sentences,
// with the tokens that they belong to. Everything else in inspect/ works on these.
//
//   const AttentionMaps maps = inspect_attention(*model, *backend, "seven past two");
//   maps.at(AttentionPart::cross, 0).row(3, 1);  // first layer, fourth head, second target token
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/io/translation_model.h"

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

// The ids of a pair with everything that a model wants around them.
struct FramedPair {
  std::vector<std::int32_t> source;   // … </s>
  std::vector<std::int32_t> read;     // what the decoder reads: <pad> y_1 … y_n
  std::vector<std::int32_t> written;  // y_1 … y_n </s>
};

// Both sides come without </s>. Throws InvalidArgument for more tokens than the model has
// positions.
FramedPair framed_pair(const TranslationModel& model, std::vector<std::int32_t> source,
                       std::vector<std::int32_t> target);
std::vector<std::string> pieces_of(const std::vector<std::int32_t>& ids,
                                   const Vocabulary& vocabulary);

// Tokens as people read them (piece_label), the decoder's <pad> as "<start>".
std::vector<std::string> labels(const std::vector<std::string>& tokens);

// Runs the model over the pair. Without a target, over the source and the model's translation of
// it. Throws InvalidArgument when the source is empty or a side has more tokens than the model has
// positions.
AttentionMaps inspect_attention(const TranslationModel& model, Backend& backend,
                                const std::string& source,
                                const std::optional<std::string>& target = std::nullopt);

// The same for ids, neither with </s>. `source` and `target` texts are left empty.
AttentionMaps inspect_attention(const TranslationModel& model, Backend& backend,
                                std::vector<std::int32_t> source, std::vector<std::int32_t> target);

}  // namespace yona
