// Reads a Jinja template into statements.
#pragma once

#include <string_view>

#include "yona/generate/jinja/ast.h"

namespace yona::jinja {

// Throws TemplateError that names the line, and by name what is not supported: include, import,
// extends, block, call, do, recursive loops.
Body parse_template(std::string_view source);

}  // namespace yona::jinja
