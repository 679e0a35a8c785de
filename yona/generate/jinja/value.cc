#include "yona/generate/jinja/value.h"

#include <algorithm>
#include <cmath>

#include "yona/text/utf8.h"

namespace yona::jinja {

namespace {

int one_deeper(int depth) {
  constexpr int kMostDepth = 200;
  check<TemplateError>(depth < kMostDepth, "chat template: a value is nested deeper than {}",
                       kMostDepth);
  return depth + 1;
}

int depth_of(const List& items) {
  int depth = 0;
  for (const Value& item : items) {
    depth = std::max(depth, item.depth());
  }
  return one_deeper(depth);
}

int depth_of(const Dict& dict) {
  int depth = 0;
  for (const auto& [key, value] : dict.items()) {
    depth = std::max({depth, key.depth(), value.depth()});
  }
  return one_deeper(depth);
}

// How many items and pieces of text one comparison may read.
class Effort {
 public:
  void take(std::size_t count) {
    left_ -= static_cast<std::int64_t>(count);
    check<TemplateError>(left_ >= 0, "chat template: two values are too large to compare");
  }

 private:
  std::int64_t left_ = 1 << 20U;
};

bool are_equal(const Value& a, const Value& b, Effort& effort);

// As Dict::find, but all comparisons share one limit: keys may hold dictionaries too.
const Value* found_in(const Dict& dict, const Value& key, Effort& effort) {
  if (key.is_text()) {
    return dict.find(key);
  }
  for (const auto& [own, value] : dict.items()) {
    if (are_equal(own, key, effort)) {
      return &value;
    }
  }
  return nullptr;
}

int compared(const std::string& a, const std::string& b, Effort& effort) {
  constexpr std::size_t kPiece = 64;
  if (&a == &b) {
    return 0;
  }
  effort.take(std::min(a.size(), b.size()) / kPiece);
  return a.compare(b);  // bytes of UTF-8 have the order of their characters
}

bool are_equal(const Value& a, const Value& b, Effort& effort) {
  effort.take(1);
  if (a.is_number() && b.is_number()) {
    return a.is_real() || b.is_real() ? a.real() == b.real() : a.integer() == b.integer();
  }
  if (a.is_text() && b.is_text()) {
    return a.text().size() == b.text().size() && compared(a.text(), b.text(), effort) == 0;
  }
  const auto same = [&](const Value& x, const Value& y) { return are_equal(x, y, effort); };
  if ((a.is_list() && b.is_list()) || (a.is_tuple() && b.is_tuple())) {
    return a.items().size() == b.items().size() &&
           std::equal(a.items().begin(), a.items().end(), b.items().begin(), same);
  }
  if (a.is_dict() && b.is_dict()) {
    const auto& items = a.dict().items();
    return items.size() == b.dict().items().size() &&
           std::all_of(items.begin(), items.end(), [&](const auto& item) {
             const Value* other = found_in(b.dict(), item.first, effort);
             return other != nullptr && same(item.second, *other);
           });
  }
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined()) ||
         (a.is_namespace() && b.is_namespace() && &a.name_space() == &b.name_space());
}

bool comes_first(const Value& a, const Value& b, Effort& effort) {
  effort.take(1);
  if (a.is_number() && b.is_number()) {
    return a.is_real() || b.is_real() ? a.real() < b.real() : a.integer() < b.integer();
  }
  if (a.is_text() && b.is_text()) {
    return compared(a.text(), b.text(), effort) < 0;
  }
  if ((a.is_list() && b.is_list()) || (a.is_tuple() && b.is_tuple())) {
    return std::lexicographical_compare(
        a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
        [&](const Value& x, const Value& y) { return comes_first(x, y, effort); });
  }
  fail<TemplateError>("chat template: '{}' and '{}' have no order", a.type_name(), b.type_name());
}

}  // namespace

void append_bounded(std::string& text, std::string_view more) {
  check<TemplateError>(more.size() <= kMostText && text.size() <= kMostText - more.size(),
                       "chat template: a text has more than {} bytes", kMostText);
  text += more;
}

Value::Value(List items)
    : data_(std::make_shared<const List>(std::move(items))), depth_(depth_of(this->items())) {}

Value::Value(Dict items)
    : data_(std::make_shared<const Dict>(std::move(items))), depth_(depth_of(dict())) {}

Value::Value(std::shared_ptr<Namespace> space, int depth)
    : data_(std::move(space)), depth_(depth == 0 ? 0 : one_deeper(depth)) {}

Value::Value(Function function)
    : data_(std::make_shared<const Function>(std::move(function))),
      depth_(one_deeper(this->function().depth)) {}

// The message may quote a key of any length, and each undefined value keeps its own message.
Value Value::undefined(std::string what) {
  constexpr std::size_t kMost = 200;
  if (what.size() > kMost) {
    what = lossy_utf8(what.substr(0, kMost)) + "…";
  }
  Value value;
  value.data_ = Undefined{std::move(what)};
  return value;
}

Value Value::tuple(List items) {
  Value value;
  value.depth_ = depth_of(items);
  value.data_ = Tuple{std::make_shared<const List>(std::move(items))};
  return value;
}

Value Value::generator(List items) {
  Value value;
  value.depth_ = depth_of(items);
  value.data_ = Generator{std::make_shared<const List>(std::move(items))};
  return value;
}

Value Value::from(const Json& json, int depth) {
  constexpr int kMostDepth = 200;
  check<TemplateError>(depth <= kMostDepth, "chat template: a value is nested deeper than {}",
                       kMostDepth);
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value(json.get<bool>());
    case Json::value_t::number_integer:
      return Value(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return json.get<std::uint64_t>() <= INT64_MAX ? Value(json.get<std::int64_t>())
                                                    : Value(json.get<double>());
    case Json::value_t::number_float:
      return Value(json.get<double>());
    case Json::value_t::string:
      return Value(json.get<std::string>());
    case Json::value_t::array: {
      List items;
      for (const Json& item : json) {
        items.push_back(from(item, depth + 1));
      }
      return Value(std::move(items));
    }
    case Json::value_t::object: {
      Dict items;
      for (const auto& item : json.items()) {
        items.set(Value(item.key()), from(item.value(), depth + 1));
      }
      return Value(std::move(items));
    }
    default:
      return {};
  }
}

const List& Value::items() const {
  if (is_generator()) {
    return *std::get<Generator>(data_).items;
  }
  return is_tuple() ? *std::get<Tuple>(data_).items : *std::get<std::shared_ptr<const List>>(data_);
}

std::int64_t Value::integer() const {
  if (is_boolean()) {
    return std::get<bool>(data_) ? 1 : 0;
  }
  check<TemplateError>(is_integer(), "chat template: an integer is expected, not '{}'",
                       type_name());
  return std::get<std::int64_t>(data_);
}

double Value::real() const {
  if (is_real()) {
    return std::get<double>(data_);
  }
  check<TemplateError>(is_number(), "chat template: a number is expected, not '{}'", type_name());
  return static_cast<double>(integer());
}

bool Value::is_true() const {
  if (is_undefined() || is_none()) {
    return false;
  }
  if (is_number()) {
    return real() != 0;
  }
  if (is_text()) {
    return !text().empty();
  }
  if (is_list() || is_tuple()) {
    return !items().empty();
  }
  return !is_dict() || !dict().items().empty();
}

const char* Value::type_name() const {
  static constexpr const char* kNames[] = {"NoneType", "Undefined", "bool",     "int",
                                           "float",    "str",       "list",     "tuple",
                                           "dict",     "namespace", "function", "generator"};
  return kNames[data_.index()];
}

std::string Value::str() const {
  if (is_text()) {
    return text();
  }
  return is_undefined() ? "" : repr();
}

void Dict::set(Value key, Value value) {
  for (std::size_t i = 0; !key.is_text() && i < items_.size(); ++i) {
    if (is_equal(items_[i].first, key)) {
      items_[i].second = std::move(value);
      return;
    }
  }
  if (key.is_text()) {
    const auto [found, is_new] = text_keys_.try_emplace(key.text(), items_.size());
    if (!is_new) {
      items_[found->second].second = std::move(value);
      return;
    }
  }
  items_.emplace_back(std::move(key), std::move(value));
}

const Value* Dict::find(const Value& key) const {
  if (key.is_text()) {
    const auto found = text_keys_.find(key.text());
    return found == text_keys_.end() ? nullptr : &items_[found->second].second;
  }
  for (const auto& [own, value] : items_) {
    if (is_equal(own, key)) {
      return &value;
    }
  }
  return nullptr;
}

const Value* Arguments::find(std::size_t position, std::string_view name) const {
  if (position < positional.size()) {
    return &positional[position];
  }
  for (const auto& [own, value] : named) {
    if (own == name) {
      return &value;
    }
  }
  return nullptr;
}

const Value& Arguments::need(std::size_t position, std::string_view name,
                             std::string_view function) const {
  const Value* value = find(position, name);
  check<TemplateError>(value != nullptr, "chat template: {}() needs the argument '{}'", function,
                       name);
  return *value;
}

bool is_equal(const Value& a, const Value& b) {
  Effort effort;
  return are_equal(a, b, effort);
}

bool is_less(const Value& a, const Value& b) {
  Effort effort;
  return comes_first(a, b, effort);
}

}  // namespace yona::jinja
