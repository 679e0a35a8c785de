// How well labels are predicted: accuracy, F1 and Matthews' correlation of classes, Spearman's of
// numbers. Results are scikit-learn's and SciPy's in every digit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace yona {

// Classes by number, from 0. Empty input gives 0.
double accuracy(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted);
// 2 TP / (2 TP + FP + FN) of one class; 0 where it occurs on neither side.
double f1_of_class(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted,
                   std::int32_t positive);
// Its mean over the classes that occur on either side.
double macro_f1(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted);
// Of two classes that of class 1, of more the mean.
double f1_score(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted,
                std::int64_t classes);
// Matthews 1975; for more than two classes Gorodkin 2004. 0 where one class alone is predicted.
double matthews(std::span<const std::int32_t> expected, std::span<const std::int32_t> predicted);

// The correlation of ranks, equal values sharing the mean of theirs. NaN where one side is
// constant.
double spearman(std::span<const double> expected, std::span<const double> predicted);

// The names that train.valid_metrics takes.
std::vector<std::string> class_figure_names();

}  // namespace yona
