// JSON schemas for constrained text (a subset of draft 2020-12): every text of the grammar is an
// instance of the schema. Properties are written in the schema's order. Where the schema leaves a
// choice that would allow any text, the grammar is narrower: an object with "properties" and
// without "additionalProperties" has no other properties. "oneOf" is read as "anyOf". Annotations
// and "format" are ignored; every other keyword that is not understood is refused by name.
#pragma once

#include "yona/base/json.h"
#include "yona/generate/grammar.h"

namespace yona {

// Throws InvalidArgument that names the keyword and where it is ("#/properties/age").
Grammar json_schema_grammar(const Json& schema);

}  // namespace yona
