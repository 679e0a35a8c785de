// Items written with digits, as people type them: what the languages' other ways have in common.
// Times and dates have digits throughout, numbers and euros up to 99: what a digit of a longer
// number stands for depends on how many follow, which takes a small model longer to learn than all
// the words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yona/data/builtin/item.h"

namespace yona::builtin {

inline constexpr int kLargestInDigits = 99;

// The ways with the number in digits added, where it is small enough.
std::vector<std::string> with_digits(std::vector<std::string> ways, const Number& number);

// Hours on a clock with digits that a clock's face shows alike: 3 and 15, 12 and 0.
std::vector<int> hours_of(const Time& time);

// "3:05", "03:05" and "15:05"; at twelve "12:05", "0:05" and "00:05".
std::vector<std::string> clock_times(const Time& time);

// "3.40" with "."; "3" where there are no cents.
std::string decimal(const Price& price, std::string_view mark);

// The text with every `from` replaced.
std::string replaced(std::string text, std::string_view from, std::string_view to);

}  // namespace yona::builtin
