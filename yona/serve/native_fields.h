// The fields of yona's own API: what its requests take and its answers have.
#pragma once

#include "yona/serve/fields.h"

namespace yona::serve {

Fields models_answer();
Fields translate_fields();
Fields translate_answer();
Fields beam_fields();
Fields beam_answer();
Fields explain_fields();

}  // namespace yona::serve
