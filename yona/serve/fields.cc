#include "yona/serve/fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "yona/base/nearest_name.h"
#include "yona/io/json_file.h"
#include "yona/serve/multipart.h"
#include "yona/serve/url.h"
#include "yona/text/utf8.h"

namespace yona::serve {

namespace {

[[noreturn]] void refuse(const std::string& text) { throw HttpError(400, text); }

template <class... Args>
void require(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) {
    refuse(fmt::format(message, std::forward<Args>(args)...));
  }
}

constexpr double kLargestInteger = 9007199254740992.0;  // 2^53: exact in JSON's numbers too

std::string_view word_of(FieldType type) {
  switch (type) {
    case FieldType::text:
      return "a text";
    case FieldType::texts:
      return "a list of texts";
    case FieldType::text_or_texts:
      return "a text or a list of texts";
    case FieldType::integer:
      return "a whole number";
    case FieldType::number:
      return "a number";
    case FieldType::boolean:
      return "true or false";
    case FieldType::object:
      return "an object";
    case FieldType::list:
      return "a list of objects";
    case FieldType::any:
      return "a value";
  }
  return "";
}

// A value as it is shown in messages: not more of it than fits.
std::string shown(const Json& value) {
  constexpr std::size_t kMost = 60;
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

bool is_bounded(const Field& field) {
  return field.least != std::numeric_limits<double>::lowest() &&
         field.most != std::numeric_limits<double>::max();
}

bool are_texts(const Json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
}

// Larger ones than doubles hold exactly are for fields with bounds of their own.
bool is_integer(const Json& value, const Field& field) {
  if (value.is_number_integer() && std::abs(field.least) > kLargestInteger && is_bounded(field)) {
    return !value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX;
  }
  return value.is_number() && std::trunc(value.get<double>()) == value.get<double>() &&
         std::abs(value.get<double>()) < kLargestInteger;
}

bool has_type(const Json& value, const Field& field) {
  switch (field.type) {
    case FieldType::text:
      return value.is_string();
    case FieldType::texts:
      return are_texts(value);
    case FieldType::text_or_texts:
      return value.is_string() || are_texts(value);
    case FieldType::integer:
      return is_integer(value, field);
    case FieldType::number:
      return value.is_number();
    case FieldType::boolean:
      return value.is_boolean();
    case FieldType::object:
      return value.is_object();
    case FieldType::list:
      return value.is_array() && std::all_of(value.begin(), value.end(),
                                             [](const Json& item) { return item.is_object(); });
    case FieldType::any:
      return true;
  }
  return false;
}

void check_utf8(const Field& field, const Json& value) {
  for (const Json& item : value.is_array() ? value : Json::array({value})) {
    require(!item.is_string() || is_utf8(item.get_ref<const std::string&>()),
            "\"{}\": the text is not UTF-8", field.name);
  }
}

void check_value(const Field& field, const Json& value) {
  require(has_type(value, field), "\"{}\": expected {}, got {}", field.name, word_of(field.type),
          shown(value));
  if (value.is_number()) {
    const auto number = value.get<double>();
    require(number >= field.least && number <= field.most,
            "\"{}\": expected a number from {} to {}, got {}", field.name, field.least, field.most,
            shown(value));
  }
  if (value.is_string() && !field.words.empty()) {
    require(std::find(field.words.begin(), field.words.end(), value.get<std::string>()) !=
                field.words.end(),
            "\"{}\": expected {}, got {}", field.name, fmt::join(field.words, " or "),
            shown(value));
  }
  check_utf8(field, value);
}

const Field* find(const Fields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_unknown(const Fields& fields, const std::string& name) {
  std::vector<std::string> names;
  for (const Field& field : fields) {
    names.push_back(field.name);
  }
  const auto nearest = nearest_name(name, names);
  refuse(fmt::format("there is no field {}; {}", shown(name),
                     nearest ? fmt::format("did you mean \"{}\"?", *nearest)
                             : fmt::format("expected {}", fmt::join(names, ", "))));
}

// A null is a field that is not given.
void check_object(Json& object, const Fields& fields, UnknownFields unknown) {
  Json kept = Json::object();
  for (auto& [name, value] : object.items()) {
    const Field* field = find(fields, name);
    if (field == nullptr && unknown == UnknownFields::refuse) {
      refuse_unknown(fields, name);
    }
    if (field != nullptr && !value.is_null()) {
      check_value(*field, value);
      if (field->type == FieldType::list && !field->fields.empty()) {
        for (Json& item : value) {
          check_object(item, field->fields, unknown);
        }
      }
      kept[name] = std::move(value);
    }
  }
  for (const Field& field : fields) {
    require(!field.required || kept.contains(field.name), "\"{}\" is missing: {}", field.name,
            field.description);
  }
  object = std::move(kept);
}

template <class Number>
Json parsed_number(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? Json(value)
                                                                                   : Json(text);
}

// A form knows texts alone: what they mean depends on the field. What means nothing stays a text,
// and is refused later.
Json form_value(const Field& field, const std::string& text) {
  switch (field.type) {
    case FieldType::integer:
      return parsed_number<std::int64_t>(text);
    case FieldType::number:
      return parsed_number<double>(text);
    case FieldType::boolean:
      return text == "true" || text == "1"    ? Json(true)
             : text == "false" || text == "0" ? Json(false)
                                              : Json(text);
    default:
      return text;
  }
}

// The first unknown name is enough to refuse a form, which may have a hundred thousand of them.
void add_form(Json& object, const std::vector<std::pair<std::string, std::string>>& form,
              const Fields& fields) {
  bool has_unknown = false;
  for (const auto& [name, text] : form) {
    require(is_utf8(name) && is_utf8(text), "the form is not UTF-8");
    const Field* field = find(fields, name);
    if (field == nullptr && std::exchange(has_unknown, true)) {
      continue;
    }
    const Json value = field != nullptr ? form_value(*field, text) : Json(text);
    if (!object.contains(name)) {
      object[name] = value;
    } else if (field != nullptr && field->type == FieldType::text_or_texts) {  // q=a&q=b
      Json& before = object[name];
      if (!before.is_array()) {
        before = Json::array({std::move(before)});
      }
      before.push_back(value);
    }
  }
}

std::vector<std::pair<std::string, std::string>> form_of(const HttpRequest& request) {
  if (request.content_type == "multipart/form-data") {
    return parse_multipart(request.body, request.boundary);
  }
  if (!request.content_type.empty() &&
      request.content_type != "application/x-www-form-urlencoded") {
    throw HttpError(
        415,
        fmt::format("Content-Type: expected application/json, application/x-www-form-urlencoded or "
                    "multipart/form-data, got {}",
                    shown(request.content_type)));
  }
  return parse_form(request.body);
}

// `curl -d '{…}'` says that its body is a form. No field's name begins with a brace.
bool is_json(const HttpRequest& request) {
  if (request.content_type == "application/json") {
    return true;
  }
  const std::size_t start = request.body.find_first_not_of(" \t\r\n");
  return (request.content_type.empty() ||
          request.content_type == "application/x-www-form-urlencoded") &&
         start != std::string::npos && request.body[start] == '{';
}

Json field_schema(const Field& field) {
  const Json text{{"type", "string"}};
  const Json texts{{"type", "array"}, {"items", text}};
  Json schema;
  switch (field.type) {
    case FieldType::text:
      schema = text;
      break;
    case FieldType::texts:
      schema = texts;
      break;
    case FieldType::text_or_texts:
      schema = {{"oneOf", {text, texts}}};
      break;
    case FieldType::integer:
      schema = {{"type", "integer"}};
      break;
    case FieldType::number:
      schema = {{"type", "number"}};
      break;
    case FieldType::boolean:
      schema = {{"type", "boolean"}};
      break;
    case FieldType::object:
      schema = schema_of(field.fields);
      break;
    case FieldType::list:
      schema = {{"type", "array"}};
      schema["items"] = field.fields.empty() ? Json::object() : schema_of(field.fields);
      break;
    case FieldType::any:
      schema = Json::object();
      break;
  }
  schema["description"] = field.description;
  if (field.least != std::numeric_limits<double>::lowest()) {
    schema["minimum"] = field.least;
  }
  if (field.most != std::numeric_limits<double>::max()) {
    schema["maximum"] = field.most;
  }
  if (!field.words.empty()) {
    schema["enum"] = field.words;
  }
  return schema;
}

}  // namespace

Json schema_of(const Fields& fields) {
  Json schema{{"type", "object"}, {"properties", Json::object()}};
  Json required = Json::array();
  for (const Field& field : fields) {
    schema["properties"][field.name] = field_schema(field);
    if (field.required) {
      required.push_back(field.name);
    }
  }
  if (!required.empty()) {
    schema["required"] = required;
  }
  return schema;
}

RequestFields::RequestFields(const HttpRequest& request, const Fields& fields,
                             UnknownFields unknown)
    : values_(Json::object()) {
  if (is_json(request)) {
    try {
      values_ = parse_json(request.body, "the body");
    } catch (const FormatError& error) {
      refuse(error.what());
    }
    require(values_.is_object(), "the body: expected an object of JSON");
  } else {
    add_form(values_, form_of(request), fields);
    add_form(values_, parse_form(request.query), fields);
  }
  check_object(values_, fields, unknown);
}

bool RequestFields::has(std::string_view name) const { return values_.contains(name); }

std::string RequestFields::text(std::string_view name, const std::string& fallback) const {
  return has(name) ? values_.find(name)->get<std::string>() : fallback;
}

std::vector<std::string> RequestFields::texts(std::string_view name) const {
  if (!has(name)) {
    return {};
  }
  const Json& given = *values_.find(name);
  return given.is_array() ? given.get<std::vector<std::string>>()
                          : std::vector<std::string>{given.get<std::string>()};
}

bool RequestFields::is_list(std::string_view name) const {
  return has(name) && values_.find(name)->is_array();
}

std::optional<std::int64_t> RequestFields::integer(std::string_view name) const {
  return has(name) ? std::optional(values_.find(name)->get<std::int64_t>()) : std::nullopt;
}

std::optional<double> RequestFields::number(std::string_view name) const {
  return has(name) ? std::optional(values_.find(name)->get<double>()) : std::nullopt;
}

bool RequestFields::boolean(std::string_view name) const {
  return has(name) && values_.find(name)->get<bool>();
}

Json RequestFields::value(std::string_view name) const {
  return has(name) ? *values_.find(name) : Json();
}

}  // namespace yona::serve
