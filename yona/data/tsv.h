// One line of a tab-separated corpus. Fields are what lies between tabs; there is no quoting.
#pragma once

#include <cstdint>
#include <string_view>

namespace yona {

// Columns count from 1, as `cut -f` does; 0 means that there is no such column.
struct TsvColumns {
  int source = 1;
  int target = 2;
  int weight = 0;    // a positive number: how much the pair's loss counts
  int document = 0;  // any text; equal text means the same document
};

struct TsvFields {
  std::string_view source;
  std::string_view target;
  float weight = 1;
  std::uint64_t document = 0;  // a hash of the column's text; 0 without the column
};

// False when a column is missing or the weight is not a positive finite number. The views point
// into `line`.
bool parse_tsv(std::string_view line, const TsvColumns& columns, TsvFields& fields);

}  // namespace yona
