#include "yona/study/studies.h"

#include <array>
#include <string>

#include "yona/base/error.h"
#include "yona/config/config_key.h"

namespace yona {

namespace {

constexpr std::array<StudyKind, 8> kStudies{
    {{"table1", "What do a layer's time and memory grow with? Table 1 of the paper, measured.",
      table1_points, table1_page},
     {"table2", "How much better is the Transformer, at what cost? Table 2 of the paper, in small.",
      table2_points, table2_page},
     {"long-range", "What do the cheaper attentions give up? Accuracy, time and memory by length.",
      long_range_points, long_range_page, StudyText::read},
     {"positions", "What are positions worth, and which kinds work beyond the training length?",
      positions_points, positions_page},
     {"parts", "What is each part of the Transformer worth? One is left out or replaced at a time.",
      parts_points, parts_page},
     {"heads", "What does it cost to leave out one attention head of a trained model?",
      heads_points, heads_page},
     {"data-size",
      "Does the Transformer lose on little data? BLEU by the size of the training set.",
      data_size_points, data_size_page},
     {"forgetting", "What does each architecture forget? Recall and gradient by distance.",
      forgetting_points, forgetting_page}}};

}  // namespace

std::span<const StudyKind> study_kinds() { return kStudies; }

const StudyKind& study_kind(std::string_view name) {
  std::vector<std::string> names;
  for (const StudyKind& kind : kStudies) {
    if (kind.name == name) {
      return kind;
    }
    names.emplace_back(kind.name);
  }
  fail("study: '{}' is not a study; use {}", name, join_names(names));
}

}  // namespace yona
