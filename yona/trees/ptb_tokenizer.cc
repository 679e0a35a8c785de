#include "yona/trees/ptb_tokenizer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "yona/trees/escapes.h"

namespace yona {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_inside_name(char c) { return is_letter(c) || is_digit(c); }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
  return out;
}

// Characters beyond ASCII, and what the Treebank writes for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kReplacements{{
    {"\u201C", " `` "},
    {"\u201D", " '' "},
    {"\u2018", " ` "},
    {"\u2019", "'"},
    {"\u2026", " ... "},
    {"\u2013", " -- "},
    {"\u2014", " -- "},
}};

// Text with spaces around what is a word of its own.
class Spacer {
 public:
  explicit Spacer(std::string_view text) : text_(text) {}

  std::string spaced() {
    while (at_ < text_.size()) {
      take();
    }
    return std::move(out_);
  }

 private:
  char before() const { return at_ == 0 ? ' ' : text_[at_ - 1]; }
  char after() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : ' '; }

  void put(std::string_view text, std::size_t consumed) {
    out_ += text;
    at_ += consumed;
  }
  void put_alone(std::size_t count) {
    out_ += ' ';
    out_ += text_.substr(at_, count);
    out_ += ' ';
    at_ += count;
  }

  void take() {
    const std::string_view rest = text_.substr(at_);
    for (const auto& [from, to] : kReplacements) {
      if (rest.starts_with(from)) {
        return put(to, from.size());
      }
    }
    const char c = rest.front();
    if (c == '"') {
      const bool opens =
          is_tree_space(before()) || std::string_view("([{<").find(before()) != rest.npos;
      return put(opens ? " `` " : " '' ", 1);
    }
    if (rest.starts_with("``") || rest.starts_with("''")) {
      return put_alone(2);
    }
    if (rest.starts_with("...")) {
      return put_alone(3);
    }
    if (rest.starts_with("--")) {
      return put(" -- ", std::min(rest.find_first_not_of('-'), rest.size()));
    }
    take_mark(c);
  }

  void take_mark(char c) {
    const bool in_number = is_digit(before()) && is_digit(after());
    const bool in_name = is_inside_name(before()) && is_inside_name(after());
    if (c == '$') {  // US$ 5: what is in front belongs to it
      out_ += is_letter(before()) ? "" : " ";
      return put("$ ", 1);
    }
    const bool alone = std::string_view(";#%?![](){}<>").find(c) != std::string_view::npos ||
                       (std::string_view(",:").find(c) != std::string_view::npos && !in_number) ||
                       (std::string_view("&@").find(c) != std::string_view::npos && !in_name);
    if (alone) {
      return put_alone(1);
    }
    put(text_.substr(at_, 1), 1);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
};

// The period of the last word that is not a closing quote or bracket.
void split_last_period(std::vector<std::string>& words) {
  auto last = words.rbegin();
  while (last != words.rend() && (*last == "''" || *last == "'" || *last == ")" || *last == "]")) {
    ++last;
  }
  if (last == words.rend()) {
    return;
  }
  const bool has_quote = last->size() > 2 && last->ends_with(".'");  // of 'what he said.'
  if (has_quote) {
    last->pop_back();
  }
  if (last->size() > 1 && last->ends_with('.') && *last != "...") {
    last->pop_back();
    const auto next = words.insert(last.base(), ".");
    if (has_quote) {
      words.insert(next + 1, "'");
    }
  }
}

constexpr std::array<std::string_view, 7> kEndings{"'s", "'m", "'d", "'ll", "'re", "'ve", "n't"};
constexpr std::array<std::pair<std::string_view, std::size_t>, 6> kJoined{
    {{"cannot", 3}, {"gonna", 3}, {"gotta", 3}, {"gimme", 3}, {"lemme", 3}, {"wanna", 3}}};

// Where a word is to be cut in two; its size where it is not.
std::size_t cut_of(const std::string& word) {
  const std::string small = lower(word);
  for (const std::string_view ending : kEndings) {
    if (small.size() > ending.size() && small.ends_with(ending)) {
      return word.size() - ending.size();
    }
  }
  for (const auto& [joined, place] : kJoined) {
    if (small == joined) {
      return place;
    }
  }
  return word.size() > 1 && word.ends_with('\'') && word != "''" ? word.size() - 1 : word.size();
}

}  // namespace

std::vector<std::string> spaced_words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (!is_tree_space(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) {
    words.pop_back();
  }
  return words;
}

std::vector<std::string> ptb_words(std::string_view text) {
  std::vector<std::string> words = spaced_words(Spacer(text).spaced());
  split_last_period(words);
  std::vector<std::string> all;
  for (const std::string& word : words) {
    const std::size_t cut = cut_of(word);
    all.push_back(word.substr(0, cut));
    if (cut < word.size()) {
      all.push_back(word.substr(cut));
    }
  }
  return all;
}

}  // namespace yona
