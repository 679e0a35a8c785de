// yona as a library: everything that a program outside this tree includes (docs/cpp.md).
//
//   auto model = yona::Model::load("folder");
//   std::string text = model.translate("Hello.");
#pragma once

#include "yona/api/encoder.h"           // IWYU pragma: export
#include "yona/api/image_classifier.h"  // IWYU pragma: export
#include "yona/api/model.h"             // IWYU pragma: export
#include "yona/api/score.h"             // IWYU pragma: export
#include "yona/api/train.h"             // IWYU pragma: export
#include "yona/inspect/html.h"          // IWYU pragma: export
