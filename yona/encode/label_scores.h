// Logits as probabilities by name, and vectors as directions.
#pragma once

#include <string>
#include <vector>

#include "yona/encode/encoder_answers.h"

namespace yona {

// softmax(logits)
std::vector<double> probabilities(const std::vector<float>& logits);

// The most probable first; equal ones in the order of the labels.
std::vector<LabelScore> sorted_scores(const std::vector<double>& scores,
                                      const std::vector<std::string>& labels);

// Divides by the Euclidean norm; zeros stay zeros.
void scale_to_length_1(std::vector<float>& vector);

}  // namespace yona
