// Items written with digits, as people type them: what the languages' other ways have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yona/data/builtin/item.h"

namespace yona::builtin {

// 22240 with "," is "22,240"; below a thousand there is no mark.
std::string grouped(int value, std::string_view mark);

// The digits of a number, plain and, from a thousand on, with each of the marks.
std::vector<std::string> digits_of(const Number& number, const std::vector<std::string>& marks);

// Hours on a clock with digits that a clock's face shows alike: 3 and 15, 12 and 0.
std::vector<int> hours_of(const Time& time);

// "3:05", "03:05" and "15:05"; at twelve "12:05", "0:05" and "00:05".
std::vector<std::string> clock_times(const Time& time);

// "3.40" with "."; "3" where there are no cents.
std::string decimal(const Price& price, std::string_view mark);

// The text with every `from` replaced.
std::string replaced(std::string text, std::string_view from, std::string_view to);

}  // namespace yona::builtin
