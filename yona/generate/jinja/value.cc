#include "yona/generate/jinja/value.h"

#include <algorithm>
#include <cmath>

namespace yona::jinja {

Value::Value(Dict items) : data_(std::make_shared<const Dict>(std::move(items))) {}

Value Value::undefined(std::string what) {
  Value value;
  value.data_ = Undefined{std::move(what)};
  return value;
}

Value Value::tuple(List items) {
  Value value;
  value.data_ = Tuple{std::make_shared<const List>(std::move(items))};
  return value;
}

Value Value::generator(List items) {
  Value value;
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
  if (a.is_number() && b.is_number()) {
    return a.is_real() || b.is_real() ? a.real() == b.real() : a.integer() == b.integer();
  }
  if (a.is_text() && b.is_text()) {
    return a.text() == b.text();
  }
  if ((a.is_list() && b.is_list()) || (a.is_tuple() && b.is_tuple())) {
    return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                      is_equal);
  }
  if (a.is_dict() && b.is_dict()) {
    const auto& items = a.dict().items();
    return items.size() == b.dict().items().size() &&
           std::all_of(items.begin(), items.end(), [&](const auto& item) {
             const Value* other = b.dict().find(item.first);
             return other != nullptr && is_equal(item.second, *other);
           });
  }
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined()) ||
         (a.is_namespace() && b.is_namespace() && &a.name_space() == &b.name_space());
}

bool is_less(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    return a.is_real() || b.is_real() ? a.real() < b.real() : a.integer() < b.integer();
  }
  if (a.is_text() && b.is_text()) {
    return a.text() < b.text();  // bytes of UTF-8 have the order of their characters
  }
  if ((a.is_list() && b.is_list()) || (a.is_tuple() && b.is_tuple())) {
    return std::lexicographical_compare(a.items().begin(), a.items().end(), b.items().begin(),
                                        b.items().end(), is_less);
  }
  fail<TemplateError>("chat template: '{}' and '{}' have no order", a.type_name(), b.type_name());
}

}  // namespace yona::jinja
