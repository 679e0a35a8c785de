// Is a JSON value an instance of a schema? A second reading of the keywords that
// generate/json_schema.h understands, written without it, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <regex>
#include <string>

#include "yona/base/json.h"
#include "yona/text/utf8.h"

namespace yona {

class SchemaValidator {
 public:
  explicit SchemaValidator(const Json& document) : document_(document) {}

  bool accepts(const Json& value) const { return accepts(value, document_); }

 private:
  bool accepts(const Json& value, const Json& schema) const {
    if (schema.is_boolean()) {
      return schema.get<bool>();
    }
    if (schema.contains("$ref")) {
      const std::string target = schema["$ref"].get<std::string>();
      return accepts(value, document_.at(Json::json_pointer(target.substr(1))));
    }
    const auto is_met = [&](const Json& part) { return accepts(value, part); };
    for (const char* keyword : {"anyOf", "oneOf"}) {
      if (schema.contains(keyword) &&
          std::none_of(schema[keyword].begin(), schema[keyword].end(), is_met)) {
        return false;
      }
    }
    if (schema.contains("allOf") &&
        !std::all_of(schema["allOf"].begin(), schema["allOf"].end(), is_met)) {
      return false;
    }
    return has_type(value, schema) && has_value(value, schema) && is_object_met(value, schema) &&
           is_array_met(value, schema) && is_string_met(value, schema) &&
           is_number_met(value, schema);
  }

  static bool is_of(const Json& value, const std::string& type) {
    return (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
           (type == "string" && value.is_string()) || (type == "number" && value.is_number()) ||
           (type == "integer" && value.is_number() &&
            std::floor(value.get<double>()) == value.get<double>()) ||
           (type == "boolean" && value.is_boolean()) || (type == "null" && value.is_null());
  }

  static bool has_type(const Json& value, const Json& schema) {
    if (!schema.contains("type")) {
      return true;
    }
    const Json& type = schema["type"];
    if (type.is_string()) {
      return is_of(value, type.get<std::string>());
    }
    return std::any_of(type.begin(), type.end(),
                       [&](const Json& each) { return is_of(value, each.get<std::string>()); });
  }

  static bool has_value(const Json& value, const Json& schema) {
    if (schema.contains("const") && value != schema["const"]) {
      return false;
    }
    return !schema.contains("enum") ||
           std::find(schema["enum"].begin(), schema["enum"].end(), value) != schema["enum"].end();
  }

  bool is_object_met(const Json& value, const Json& schema) const {
    if (!value.is_object()) {
      return true;
    }
    for (const Json& name : schema.value("required", Json::array())) {
      if (!value.contains(name.get<std::string>())) {
        return false;
      }
    }
    const Json properties = schema.value("properties", Json::object());
    for (const auto& item : value.items()) {
      if (properties.contains(item.key())) {
        if (!accepts(item.value(), properties[item.key()])) {
          return false;
        }
      } else if (schema.contains("additionalProperties") &&
                 !accepts(item.value(), schema["additionalProperties"])) {
        return false;
      }
    }
    return true;
  }

  bool is_array_met(const Json& value, const Json& schema) const {
    if (!value.is_array()) {
      return true;
    }
    const Json first = schema.value("prefixItems", Json::array());
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (i < first.size() ? !accepts(value[i], first[i])
                           : schema.contains("items") && !accepts(value[i], schema["items"])) {
        return false;
      }
    }
    return is_between(static_cast<double>(value.size()), schema, "minItems", "maxItems");
  }

  static bool is_string_met(const Json& value, const Json& schema) {
    if (!value.is_string()) {
      return true;
    }
    const std::string text = value.get<std::string>();
    if (schema.contains("pattern") &&
        !std::regex_search(text, std::regex(schema["pattern"].get<std::string>()))) {
      return false;
    }
    return is_between(static_cast<double>(utf32_of(text).size()), schema, "minLength", "maxLength");
  }

  static bool is_number_met(const Json& value, const Json& schema) {
    if (!value.is_number()) {
      return true;
    }
    const double x = value.get<double>();
    return is_between(x, schema, "minimum", "maximum") &&
           (!schema.contains("exclusiveMinimum") || x > schema["exclusiveMinimum"].get<double>()) &&
           (!schema.contains("exclusiveMaximum") || x < schema["exclusiveMaximum"].get<double>());
  }

  static bool is_between(double x, const Json& schema, const char* least, const char* most) {
    return (!schema.contains(least) || x >= schema[least].get<double>()) &&
           (!schema.contains(most) || x <= schema[most].get<double>());
  }

  const Json& document_;
};

}  // namespace yona
