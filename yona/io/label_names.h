// The names of a classifier's outputs in config.json: "id2label" and "label2id".
#pragma once

#include <string>
#include <vector>

#include "yona/base/json.h"

namespace yona {

// {"0": "negative", "1": "positive"} in the order of its numbers; without it LABEL_0, LABEL_1 … as
// many as "num_labels" says. Throws FormatError naming `where`, the file.
std::vector<std::string> read_label_names(const Json& config, const std::string& where);
void write_label_names(const std::vector<std::string>& labels, Json& config);

}  // namespace yona
