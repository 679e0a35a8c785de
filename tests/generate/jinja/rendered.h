// The text of a template, or the error that it ends with.
#pragma once

#include <string>

#include "yona/generate/jinja/interpreter.h"
#include "yona/generate/jinja/parser.h"

namespace yona::jinja {

inline std::string rendered(std::string_view source, const Json& variables = Json::object(),
                            const RenderOptions& options = {}) {
  try {
    std::map<std::string, Value> values;
    for (const auto& item : variables.items()) {
      values[item.key()] = Value::from(item.value());
    }
    return Interpreter(options).render(parse_template(source), std::move(values));
  } catch (const TemplateError& error) {
    return std::string("error: ") + error.what();
  }
}

}  // namespace yona::jinja
