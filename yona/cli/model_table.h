// The parameters of a model as a table: what `yona info` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/nn/module.h"

namespace yona::cli {

struct ModelRow {
  std::string name;             // layers that are alike share a row: encoder.layers.*.norm.weight
  std::string shape;            // of one: "512 × 2048"
  std::int64_t copies = 0;      // layers that have it
  std::int64_t parameters = 0;  // of all copies
};

struct ModelTable {
  std::vector<ModelRow> rows;  // in the order of the weights
  std::int64_t parameters = 0;
};

// Lays out the model without any memory for it (the meta backend).
ModelTable model_table(Module& model);

Json to_json(const ModelTable& table);
void print(const ModelTable& table);

}  // namespace yona::cli
