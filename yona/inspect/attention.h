// What every head of a model looked at: the weights of all attentions for one pair of sentences,
// with the tokens that they belong to. Everything else in inspect/ works on these.
//
//   const AttentionMaps maps = inspect_attention(*model, *backend, "seven past two");
//   maps.at(AttentionPart::cross, 0).row(3, 1);  // first layer, fourth head, second target token
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yona/inspect/attention_maps.h"
#include "yona/io/translation_model.h"

namespace yona {

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
