// What the study of long texts says of its numbers, and which attentions it compares.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/nn/attention/mechanism.h"
#include "yona/study/curves.h"

namespace yona {

inline constexpr const char* kTextTask = "text";

// Every value of model.attention but those that are left out by name.
std::vector<AttentionKind> long_range_kinds();
struct LeftOutAttention {
  AttentionKind kind;
  std::string_view reason;
};
std::span<const LeftOutAttention> left_out_attentions();

// Those that have a point, each once.
std::vector<std::string> measured_tasks(const Json& points);
// A field of the points of a task and an attention, by length.
Curve long_curve(const Json& points, std::string_view task, AttentionKind kind, const char* field);

// Sentences: from which length on each attention is faster, and takes less memory, than the exact
// one; of each task, which came nearest to its accuracy; and what was not measured.
std::vector<std::string> long_range_findings(const Json& points);

}  // namespace yona
