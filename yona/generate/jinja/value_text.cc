// Values as text: repr() and json.dumps() of Python.
#include <algorithm>
#include <cmath>
#include <utility>

#include "yona/generate/jinja/python_text.h"
#include "yona/generate/jinja/value.h"
#include "yona/text/utf8.h"

namespace yona::jinja {

namespace {

// The shortest text that reads back as the same number.
std::string real_text(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::string quoted(const std::string& text) {
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char32_t c : utf32_of(text)) {
    const auto code = static_cast<std::uint32_t>(c);
    if (c == static_cast<char32_t>(quote) || c == U'\\') {
      out += '\\';
      append_utf8(c, out);
    } else if (c == U'\n' || c == U'\r' || c == U'\t') {
      out += c == U'\n' ? "\\n" : c == U'\r' ? "\\r" : "\\t";
    } else if (is_printable(c)) {
      append_utf8(c, out);
    } else {
      out += code < 0x100     ? fmt::format("\\x{:02x}", code)
             : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                              : fmt::format("\\U{:08x}", code);
    }
  }
  return out + quote;
}

// The text of lists that hold the same list again and again is practically endless, so its length
// is checked as it grows.
void append_repr(const Value& value, std::string& out);

void append_items_repr(const List& items, const char* open, const char* close, std::string& out) {
  append_bounded(out, open);
  for (std::size_t i = 0; i < items.size(); ++i) {
    append_bounded(out, i == 0 ? "" : ", ");
    append_repr(items[i], out);
  }
  append_bounded(out, close);
}

void append_repr(const Value& value, std::string& out) {
  if (value.is_list()) {
    append_items_repr(value.items(), "[", "]", out);
  } else if (value.is_tuple()) {
    append_items_repr(value.items(), "(", value.items().size() == 1 ? ",)" : ")", out);
  } else if (value.is_dict()) {
    append_bounded(out, "{");
    bool is_first = true;
    for (const auto& [key, each] : value.dict().items()) {
      append_bounded(out, std::exchange(is_first, false) ? "" : ", ");
      append_repr(key, out);
      append_bounded(out, ": ");
      append_repr(each, out);
    }
    append_bounded(out, "}");
  } else {
    append_bounded(out, value.repr());
  }
}

void append_json_string(const std::string& text, bool ensure_ascii, std::string& out) {
  out += '"';
  for (const char32_t c : utf32_of(text)) {
    switch (c) {
      case U'"':
        out += "\\\"";
        continue;
      case U'\\':
        out += "\\\\";
        continue;
      case U'\n':
        out += "\\n";
        continue;
      case U'\r':
        out += "\\r";
        continue;
      case U'\t':
        out += "\\t";
        continue;
      case U'\b':
        out += "\\b";
        continue;
      case U'\f':
        out += "\\f";
        continue;
      default:
        break;
    }
    const auto code = static_cast<std::uint32_t>(c);
    if (code < 0x20 || (ensure_ascii && code == 0x7F)) {
      out += fmt::format("\\u{:04x}", code);
    } else if (ensure_ascii && code > 0xFFFF) {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD7C0U + (code >> 10U), 0xDC00U + (code & 0x3FFU));
    } else if (ensure_ascii && code > 0x7F) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      append_utf8(c, out);
    }
  }
  out += '"';
}

class JsonText {
 public:
  explicit JsonText(const JsonFormat& format) : format_(format) {}

  void append(const Value& value) {
    if (value.is_none()) {
      out += "null";
    } else if (value.is_boolean()) {
      out += value.is_true() ? "true" : "false";
    } else if (value.is_integer()) {
      out += std::to_string(value.integer());
    } else if (value.is_real()) {
      const double real = value.real();
      out += std::isnan(real)   ? "NaN"
             : std::isinf(real) ? (real < 0 ? "-Infinity" : "Infinity")
                                : real_text(real);
    } else if (value.is_text()) {
      append_json_string(value.text(), format_.ensure_ascii, out);
    } else if (value.is_list() || value.is_tuple()) {
      append_items(value.items());
    } else if (value.is_dict()) {
      append_dict(value.dict());
    } else {
      fail<TemplateError>("chat template: tojson of '{}' is not possible", value.type_name());
    }
  }

  std::string out;

 private:
  void append_items(const List& items) {
    append_bounded(out, "[");
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      append_separator(i == 0);
      append(items[i]);
    }
    --depth_;
    append_close(']', items.empty());
  }

  void append_dict(const Dict& dict) {
    std::vector<std::pair<Value, Value>> items = dict.items();
    if (format_.sort_keys) {
      std::stable_sort(items.begin(), items.end(),
                       [](const auto& a, const auto& b) { return is_less(a.first, b.first); });
    }
    append_bounded(out, "{");
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      append_separator(i == 0);
      append_json_string(key_text(items[i].first), format_.ensure_ascii, out);
      append_bounded(out, format_.key_separator);
      append(items[i].second);
    }
    --depth_;
    append_close('}', items.empty());
  }

  static std::string key_text(const Value& key) {
    return key.is_text()      ? key.text()
           : key.is_none()    ? "null"
           : key.is_boolean() ? (key.is_true() ? "true" : "false")
                              : key.repr();
  }

  void append_separator(bool is_first) {
    if (!is_first) {
      append_bounded(out, format_.item_separator);
    }
    append_line();
  }
  void append_line() {
    if (format_.indent >= 0) {
      out += '\n';
      out.append(static_cast<std::size_t>(format_.indent) * depth_, ' ');
    }
  }
  void append_close(char close, bool is_empty) {
    if (!is_empty) {
      append_line();
    }
    out += close;
  }

  const JsonFormat& format_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string Value::repr() const {
  if (is_none()) {
    return "None";
  }
  if (is_boolean()) {
    return is_true() ? "True" : "False";
  }
  if (is_integer()) {
    return std::to_string(integer());
  }
  if (is_real()) {
    return real_text(real());
  }
  if (is_text()) {
    return quoted(text());
  }
  if (is_list() || is_tuple() || is_dict()) {
    std::string out;
    append_repr(*this, out);
    return out;
  }
  return is_undefined() ? "Undefined" : fmt::format("<{}>", type_name());
}

std::string json_text(const Value& value, const JsonFormat& format) {
  JsonText text(format);
  text.append(value);
  return text.out;
}

}  // namespace yona::jinja
