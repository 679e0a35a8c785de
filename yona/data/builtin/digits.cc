#include "yona/data/builtin/digits.h"

#include <fmt/format.h>

namespace yona::builtin {

std::vector<std::string> with_digits(std::vector<std::string> ways, const Number& number) {
  if (number.value <= kLargestInDigits) {
    ways.push_back(std::to_string(number.value));
  }
  return ways;
}

std::vector<int> hours_of(const Time& time) {
  return {time.hour, time.hour == 12 ? 0 : time.hour + 12};
}

std::vector<std::string> clock_times(const Time& time) {
  std::vector<std::string> ways;
  for (const int hour : hours_of(time)) {
    ways.push_back(fmt::format("{}:{:02}", hour, time.minute));
    if (hour < 10) {
      ways.push_back(fmt::format("{:02}:{:02}", hour, time.minute));
    }
  }
  return ways;
}

std::string decimal(const Price& price, std::string_view mark) {
  return price.cents == 0 ? std::to_string(price.euros)
                          : fmt::format("{}{}{:02}", price.euros, mark, price.cents);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace yona::builtin
