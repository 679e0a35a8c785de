#include "yona/io/tokenizer_parts.h"

#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "yona/base/error.h"

namespace yona {

namespace {

// "" and null are no mark.
std::string mark_of(const Json& model, const char* key) {
  const auto found = model.find(key);
  return found != model.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool has_value(const Json& model, const char* key) {
  const auto found = model.find(key);
  return found != model.end() && !found->is_null();
}

// 10^exponent, the nearest double; exponent is not negative.
double power_of_ten(int exponent) {
  double power = 0;
  const std::string text = "1e" + std::to_string(exponent);
  std::from_chars(text.data(), text.data() + text.size(), power);
  return power;
}

}  // namespace

bool is_token_id(const Json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() < (1U << 24U);
}

PieceBpeOptions piece_bpe_options(const Json& model) {
  return {.fuses_unknown = model.value("fuse_unk", false),
          .drops_unknown = !has_value(model, "unk_token"),
          .takes_whole_words = model.value("ignore_merges", false),
          .continuation_mark = mark_of(model, "continuing_subword_prefix"),
          .end_mark = mark_of(model, "end_of_word_suffix")};
}

ByteLevelOptions byte_level_options(const Json& step, const Json& model, std::string_view name) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    check<FormatError>(mark_of(model, key).empty(),
                       "{}: byte-level BPE with {} is not supported: '{}'", name, key,
                       mark_of(model, key));
  }
  return {.add_prefix_space = step.value("add_prefix_space", true),
          .cuts_words = step.value("use_regex", true),
          .takes_whole_words = model.value("ignore_merges", false)};
}

WordPrefix word_prefix(const Json& metaspace) {
  const std::string scheme = metaspace.value("prepend_scheme", "always");
  const bool is_never = scheme == "never" || !metaspace.value("add_prefix_space", true);
  return is_never ? WordPrefix::never : scheme == "first" ? WordPrefix::first : WordPrefix::always;
}

double as_tokenizers_reads(double number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number,
                                     std::chars_format::scientific);  // -d.ddde-dd, the shortest
  std::uint64_t digits = 0;
  int exponent = 0;
  bool is_fraction = false;
  for (const char* at = text.data(); at != written.ptr; ++at) {
    if (*at == 'e') {
      int power = 0;
      std::from_chars(at + (at[1] == '+' ? 2 : 1), written.ptr, power);
      exponent += power;
      break;
    }
    if (*at == '.') {
      is_fraction = true;
    } else if (*at >= '0' && *at <= '9') {  // 17 of them have room
      digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
      exponent -= is_fraction ? 1 : 0;
    }
  }
  constexpr int kLargest = std::numeric_limits<double>::max_exponent10;
  double value = static_cast<double>(digits);
  for (; exponent < -kLargest && value != 0; exponent += kLargest) {
    value /= power_of_ten(kLargest);
  }
  value = exponent < 0 ? value / power_of_ten(-exponent) : value * power_of_ten(exponent);
  return number < 0 ? -value : value;
}

}  // namespace yona
