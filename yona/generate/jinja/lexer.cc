#include "yona/generate/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "yona/generate/jinja/python_text.h"
#include "yona/generate/jinja/value.h"

namespace yona::jinja {

namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0;
}
bool is_name_part(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

int hex_of(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 ? c - '0' : std::tolower(c) - 'a' + 10;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> read() {
    while (at_ < source_.size()) {
      read_outside();
    }
    add(Token::Kind::end, "");
    return std::move(tokens_);
  }

 private:
  // Text up to the next tag, then the tag.
  void read_outside() {
    std::size_t tag = source_.find('{', at_);
    while (tag != std::string_view::npos &&
           (tag + 1 >= source_.size() ||
            std::string_view("{%#").find(source_[tag + 1]) == std::string_view::npos)) {
      tag = source_.find('{', tag + 1);
    }
    if (tag == std::string_view::npos) {
      add_data(source_.substr(at_));
      advance(source_.size());
      return;
    }
    const char kind = source_[tag + 1];
    const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    add_data(before_tag(source_.substr(at_, tag - at_), sign, kind != '{'));
    advance(tag + (sign == '-' || sign == '+' ? 3 : 2));
    if (kind == '#') {
      read_comment();
    } else if (kind == '%' && is_raw()) {
      read_raw();
    } else {
      read_tag(kind == '{');
    }
  }

  // What is left of the text before a tag.
  std::string_view before_tag(std::string_view text, char sign, bool is_block) const {
    if (sign == '-') {
      return stripped_right(text);
    }
    if (sign != '+' && is_block) {
      const std::size_t line_feed = text.rfind('\n');
      const std::size_t line = line_feed == std::string_view::npos ? 0 : line_feed + 1;
      if ((line > 0 || is_line_start_) && stripped(text.substr(line)).empty()) {
        return text.substr(0, line);
      }
    }
    return text;
  }

  void read_comment() {
    const std::size_t end = source_.find("#}", at_);
    check<TemplateError>(end != std::string_view::npos,
                         "chat template: line {}: a comment has no end", line_);
    const char sign = end > at_ ? source_[end - 1] : '\0';
    advance(end + 2);
    skip_after_block(sign);
  }

  // After "%}" or "#}": trim_blocks drops one line feed, '-' all white space, '+' nothing.
  void skip_after_block(char sign) {
    const std::size_t before = at_;
    if (sign == '-') {
      skip_space();
    } else if (sign != '+' && at_ < source_.size() && source_[at_] == '\n') {
      advance(at_ + 1);
    }
    is_line_start_ = at_ > before && source_[at_ - 1] == '\n';
  }

  void skip_space() { advance(source_.size() - stripped_left(source_.substr(at_)).size()); }

  bool is_raw() const {
    const std::string_view rest = stripped_left(source_.substr(at_));
    if (!rest.starts_with("raw")) {
      return false;
    }
    const std::string_view after = stripped_left(rest.substr(3));
    return after.starts_with("%}") || after.starts_with("-%}");
  }

  void read_raw() {
    const std::size_t open = source_.find("%}", at_);
    const bool strips = source_[open - 1] == '-';
    advance(open + 2);
    if (strips) {
      skip_space();
    }
    is_line_start_ = false;
    for (std::size_t tag = source_.find("{%", at_); tag != std::string_view::npos;
         tag = source_.find("{%", tag + 2)) {
      std::size_t name = tag + 2;
      const char sign = name < source_.size() ? source_[name] : '\0';
      name += sign == '-' || sign == '+' ? 1 : 0;
      std::string_view rest = stripped_left(source_.substr(name));
      if (!rest.starts_with("endraw")) {
        continue;
      }
      rest = stripped_left(rest.substr(6));
      const char end_sign = rest.empty() ? '\0' : rest[0];
      const std::size_t end = source_.find("%}", name);
      check<TemplateError>(end != std::string_view::npos, "chat template: raw has no end");
      add_data(before_tag(source_.substr(at_, tag - at_), sign, true));
      advance(end + 2);
      skip_after_block(end_sign);
      return;
    }
    fail<TemplateError>("chat template: line {}: raw has no end", line_);
  }

  void read_tag(bool is_variable) {
    add(is_variable ? Token::Kind::variable_begin : Token::Kind::block_begin, "");
    const std::string_view close = is_variable ? "}}" : "%}";
    int open_brackets = 0;
    while (true) {
      skip_space();
      check<TemplateError>(at_ < source_.size(), "chat template: line {}: a tag has no end", line_);
      const std::string_view rest = source_.substr(at_);
      if (open_brackets == 0) {
        const bool has_sign = rest[0] == '-' || (rest[0] == '+' && !is_variable);
        if (rest.substr(has_sign ? 1 : 0).starts_with(close)) {
          const char sign = has_sign ? rest[0] : '\0';
          add(is_variable ? Token::Kind::variable_end : Token::Kind::block_end, "");
          advance(at_ + (has_sign ? 3 : 2));
          skip_after_block(is_variable && sign == '\0' ? '+' : sign);
          return;
        }
      }
      open_brackets += read_token(rest);
    }
  }

  // The change of open brackets.
  int read_token(std::string_view rest) {
    const char c = rest[0];
    if (is_name_start(c)) {
      std::size_t size = 1;
      while (size < rest.size() && is_name_part(rest[size])) {
        ++size;
      }
      add(Token::Kind::name, std::string(rest.substr(0, size)));
      advance(at_ + size);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      read_number(rest);
    } else if (c == '"' || c == '\'') {
      read_text(c);
    } else {
      return read_sign(rest);
    }
    return 0;
  }

  // "e5", "e+5"
  static bool exponent_follows(std::string_view rest, std::size_t at) {
    at += at + 1 < rest.size() && (rest[at + 1] == '+' || rest[at + 1] == '-') ? 2 : 1;
    return at < rest.size() && std::isdigit(static_cast<unsigned char>(rest[at])) != 0;
  }

  void read_number(std::string_view rest) {
    std::string digits;
    const bool is_index = !tokens_.empty() && tokens_.back().is(Token::Kind::sign, ".");
    bool is_real = false, has_exponent = false;
    std::size_t size = 0;
    for (; size < rest.size(); ++size) {
      const char c = rest[size];
      const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
      const bool digit_follows =
          size + 1 < rest.size() && std::isdigit(static_cast<unsigned char>(rest[size + 1])) != 0;
      if (c == '.' && digit_follows && !is_real && !is_index) {
        is_real = true;
      } else if ((c == 'e' || c == 'E') && !has_exponent && exponent_follows(rest, size)) {
        is_real = has_exponent = true;
        digits += c;
        if (!digit_follows) {
          digits += rest[++size];
        }
        continue;
      } else if (!is_digit && !(c == '_' && digit_follows)) {
        break;
      }
      if (c != '_') {
        digits += c;
      }
    }
    check<TemplateError>(size == rest.size() || !is_name_start(rest[size]),
                         "chat template: line {}: the number '{}{}…' is not supported", line_,
                         digits, rest[size]);
    check<TemplateError>(digits.size() <= 18, "chat template: line {}: a number is too large",
                         line_);
    add(is_real ? Token::Kind::real : Token::Kind::integer, digits);
    advance(at_ + size);
  }

  void read_text(char quote) {
    const int line = line_;
    std::string text;
    std::size_t i = at_ + 1;
    const auto need = [&](std::size_t count) {
      check<TemplateError>(i + count <= source_.size(),
                           "chat template: line {}: a string has no end", line);
    };
    for (need(1); source_[i] != quote; need(1)) {
      if (source_[i] != '\\') {
        text += source_[i++];
        continue;
      }
      need(2);
      const char name = source_[i + 1];
      i += 2;
      const std::size_t digits = name == 'x' ? 2 : name == 'u' ? 4 : name == 'U' ? 8 : 0;
      if (digits == 0) {
        append_escape(name, text);
        continue;
      }
      need(digits);
      std::uint32_t code = 0;
      for (std::size_t k = 0; k < digits; ++k, ++i) {
        check<TemplateError>(std::isxdigit(static_cast<unsigned char>(source_[i])) != 0,
                             "chat template: line {}: an escape has wrong digits", line);
        code = code * 16 + static_cast<std::uint32_t>(hex_of(source_[i]));
      }
      append_utf8(code, text);
    }
    add(Token::Kind::text, text);
    advance(i + 1);
  }

  static void append_escape(char name, std::string& text) {
    constexpr std::string_view kNames = "ntrbfav\\'\"", kMeanings = "\n\t\r\b\f\a\v\\'\"";
    if (const std::size_t at = kNames.find(name); at != std::string_view::npos) {
      text += kMeanings[at];
    } else if (name == '0') {
      text += '\0';
    } else if (name != '\n') {
      text += '\\';
      text += name;
    }
  }

  int read_sign(std::string_view rest) {
    static constexpr std::array<std::string_view, 29> kSigns{
        "**", "//", "==", "!=", ">=", "<=", "+", "-", "*", "/", "%", "~", "<", ">", "=",
        "(",  ")",  "[",  "]",  "{",  "}",  ",", ".", ":", "|", ";", "!", "&", "@"};
    const auto* const sign = std::find_if(kSigns.begin(), kSigns.end(), [&](std::string_view each) {
      return rest.starts_with(each);
    });
    check<TemplateError>(sign != kSigns.end(), "chat template: line {}: '{}' is not expected",
                         line_, rest[0]);
    add(Token::Kind::sign, std::string(*sign));
    advance(at_ + sign->size());
    const char c = (*sign)[0];
    return c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
  }

  void add(Token::Kind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), line_});
  }
  void add_data(std::string_view text) {
    if (!text.empty()) {
      add(Token::Kind::data, std::string(text));
    }
  }
  void advance(std::size_t to) {
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool is_line_start_ = true;  // the text after the last tag begins a line
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) {
  std::string text;  // with line feeds alone, and without the last one
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      text += '\n';
      i += i + 1 < source.size() && source[i + 1] == '\n' ? 1 : 0;
    } else {
      text += source[i];
    }
  }
  if (text.ends_with('\n')) {
    text.pop_back();
  }
  return Lexer(text).read();
}

}  // namespace yona::jinja
