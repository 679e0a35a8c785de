// Tasks with an answer that depends on all of a long text, made by generators, for encoders with a
// classification head.
//
//   list-ops   nested lists of digits with MIN, MAX, MED and SM (the sum modulo 10), whose value is
//              the label (Nangia and Bowman 2018; Tay et al. 2021): [MAX 2 [SM 3 9] 1] is 2
//   recall     pairs of a key and a value, and at the end a key: the label is its value
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "yona/data/batch.h"

namespace yona {

enum class LongTask : std::uint8_t { list_ops, recall };
std::string_view name_of(LongTask task);

inline constexpr std::int64_t kLongTaskLabels = 10;
inline constexpr std::int64_t kLongTaskVocabulary = 64;

struct LongExample {
  std::vector<std::int32_t> tokens;  // the first one is [CLS]
  std::int32_t label = 0;
};

// A text of at most `length` tokens, and of at least half as many.
LongExample long_example(LongTask task, std::int64_t length, std::uint64_t key);

// Puts it into the sides of LabelledExamples (data/labelled_texts.h).
void append_example(Batch& batch, const LongExample& example, std::uint64_t id);

// `count` of them; the same for the same key.
Batch long_batch(LongTask task, std::int64_t count, std::int64_t length, std::uint64_t key);

// The value of a list-ops text, by a stack. For tests of the generator, which builds values on the
// way.
std::int32_t list_ops_value(const std::vector<std::int32_t>& tokens);

}  // namespace yona
