// How often each kind and each size is drawn. Medium sizes and round numbers come more often than
// chance would have it, as in life, and because a small model should learn them within minutes.

#include "yona/data/builtin/generator.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "yona/base/error.h"

namespace yona::builtin {
namespace {

constexpr std::array<int, 4> kKindWeights = {2, 1, 1, 1};                   // by Kind
constexpr std::array<int, 9> kLengthWeights = {1, 2, 4, 5, 5, 4, 2, 2, 2};  // by digits of a number
constexpr std::array<int, 4> kEuroWeights = {1, 2, 4, 3};  // by digits of the euros

constexpr std::array<int, 10> kPowersOfTen = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

// First letters and capital letters are ASCII in all languages.
std::string in_small_letters(std::string words) {
  std::transform(words.begin(), words.end(), words.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return words;
}

std::string with_capital(std::string words) {
  char& first = words.front();
  first = first >= 'a' && first <= 'z' ? static_cast<char>(first - 'a' + 'A') : first;
  return words;
}

std::string with_full_stop(const std::string& words, std::string_view language) {
  return words + (language == "zh" ? "。" : ".");
}

}  // namespace

Generator::Generator(Options options, Split split)
    : options_(std::move(options)),
      split_(split),
      random_(
          mix(mix(options_.seed, hash_name("built-in data")), static_cast<std::uint64_t>(split))),
      writing_(mix(mix(options_.seed, hash_name("built-in variants")),
                   static_cast<std::uint64_t>(split))) {
  language(options_.source);
  language(options_.target);
  check(options_.source != options_.target,
        "built-in data: source and target are both '{}'; choose two languages", options_.source);
  check(!options_.kinds.empty(),
        "built-in data: no kinds of item; choose some of number, price, time, date");
  check(options_.largest_number >= 99 && options_.largest_number <= kLargestNumber,
        "built-in data: the largest number is {}; choose one from 99 to {}",
        options_.largest_number, kLargestNumber);
}

Item Generator::next() {
  std::vector<int> weights;
  for (const Kind kind : options_.kinds) {
    weights.push_back(kKindWeights[static_cast<std::size_t>(kind)]);
  }
  const Kind kind = options_.kinds[static_cast<std::size_t>(draw_weighted(weights))];
  Item item = draw(kind);
  while (!is_valid(item) || held_out(item) != (split_ == Split::test)) {
    item = draw(kind);
  }
  return item;
}

std::pair<std::string, std::string> Generator::next_pair() {
  const Item item = next();
  return {options_.variants ? write(item) : say(item, options_.source), say(item, options_.target)};
}

std::string Generator::write(const Item& item) {
  const Ways ways = ways_to_say(item, options_.source);
  std::string words = ways.front();
  if (ways.size() > 1 && writing_.below(2) == 0) {
    words = ways[1 + static_cast<std::size_t>(writing_.below(ways.size() - 1))];
  }
  switch (writing_.below(8)) {
    case 0:
      return in_small_letters(words);
    case 1:
      return with_capital(words);
    case 2:
      return with_full_stop(words, options_.source);
    case 3:
      return with_full_stop(with_capital(words), options_.source);
    default:
      return words;
  }
}

Item Generator::draw(Kind kind) {
  switch (kind) {
    case Kind::number:
      return draw_number();
    case Kind::price:
      return draw_price();
    case Kind::time:
      return draw_time();
    case Kind::date:
      break;
  }
  return draw_date();
}

// A length first, so that 7 and 700,000 are equally at home; then, one time in three, each digit
// but the first is made zero with an even chance: 40,000 and 20,300 are numbers that people say.
Number Generator::draw_number() {
  std::vector<int> weights;
  while (weights.size() < kLengthWeights.size() &&
         kPowersOfTen[weights.size()] <= options_.largest_number) {
    weights.push_back(kLengthWeights[weights.size()]);
  }
  const int length = draw_weighted(weights) + 1;
  const int low = length == 1 ? 0 : kPowersOfTen[length - 1];
  int value = draw_within(low, std::min(kPowersOfTen[length] - 1, options_.largest_number));
  if (random_.below(3) == 0) {
    for (int power = 0; power < length - 1; ++power) {
      if (random_.below(2) == 0) {
        value -= value / kPowersOfTen[power] % 10 * kPowersOfTen[power];
      }
    }
  }
  return {value};
}

Price Generator::draw_price() {
  const int length = draw_weighted({kEuroWeights.begin(), kEuroWeights.end()});
  const int euros =
      length == 0 ? 0 : draw_within(kPowersOfTen[length - 1], kPowersOfTen[length] - 1);
  return {euros, random_.below(4) == 0 ? 0 : draw_within(0, 99)};
}

Time Generator::draw_time() {
  const int hour = draw_within(1, 12);
  return {hour, draw_within(0, 59)};
}

// Every day of the year is as likely as another: next() rejects the 31st of February.
Date Generator::draw_date() {
  const int month = draw_within(1, 12);
  const int day = draw_within(1, 31);
  const bool with_year = options_.years && random_.below(2) == 0;
  return {day, month, with_year ? draw_within(kFirstYear, kLastYear) : 0};
}

int Generator::draw_weighted(const std::vector<int>& weights) {
  int left = draw_within(0, std::accumulate(weights.begin(), weights.end(), 0) - 1);
  int index = 0;
  while (left >= weights[static_cast<std::size_t>(index)]) {
    left -= weights[static_cast<std::size_t>(index++)];
  }
  return index;
}

int Generator::draw_within(int low, int high) {
  return low + static_cast<int>(random_.below(static_cast<std::uint64_t>(high - low) + 1));
}

}  // namespace yona::builtin
