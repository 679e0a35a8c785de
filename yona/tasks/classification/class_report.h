// The loss and the figures of predicted classes, for validations.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "yona/train/task.h"

namespace yona {

// logits: [examples][classes], labels: one for each example, figures: names of
// class_figure_names(). The loss is the mean cross-entropy; figures are in percent.
ValidationReport class_report(const std::vector<std::vector<float>>& logits,
                              std::span<const std::int32_t> labels,
                              const std::vector<std::string>& figures);

}  // namespace yona
