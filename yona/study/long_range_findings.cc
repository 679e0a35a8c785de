#include "yona/study/long_range_findings.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "yona/base/enum_names.h"
#include "yona/study/list_ops.h"

namespace yona {

namespace {

constexpr AttentionKind kExact = AttentionKind::scaled;

constexpr std::array<LeftOutAttention, 2> kLeftOut{
    {{AttentionKind::unscaled, "exact as scaled is, at the same cost (yona study parts)"},
     {AttentionKind::additive, "exact, with a tanh for each pair of tokens (yona study parts)"}}};

// Of the points of list-ops: "window is faster from about … on; its memory is smaller from …".
std::string against_exact(const Json& points, AttentionKind kind) {
  const auto compared = [&](const char* field) {
    return crossing(long_curve(points, name_of(LongTask::list_ops), kind, field),
                    long_curve(points, name_of(LongTask::list_ops), kExact, field));
  };
  if (compared("ms").kind == Crossing::Kind::nowhere) {
    return "";
  }
  return fmt::format(
      "Compared with exact attention {} {}; its memory {}.", enum_name(kind),
      crossing_text(compared("ms")),
      crossing_text(compared("mb"), {.lower = "smaller", .of_cost = "of the memory"}));
}

struct Scored {
  AttentionKind kind;
  double accuracy;
};

// Of a task at the longest length at which the exact one and others were measured.
std::string accuracy_sentence(const Json& points, const std::string& task) {
  const Curve exact = long_curve(points, task, kExact, "accuracy");
  if (exact.empty()) {
    return "";
  }
  const auto length = exact.back().first;
  const double reference = exact.back().second;
  std::vector<Scored> others;
  for (const AttentionKind kind : long_range_kinds()) {
    const Curve curve = long_curve(points, task, kind, "accuracy");
    if (kind != kExact && !curve.empty() && curve.back().first == length) {
      others.push_back({kind, curve.back().second});
    }
  }
  if (others.empty()) {
    return "";
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Scored& a, const Scored& b) { return a.accuracy > b.accuracy; });
  const double chance = long_curve(points, task, kExact, "chance").back().second;
  std::string text =
      fmt::format("{} at {:.0f} tokens: exact attention is right in {:.3f} (chance {:.3f});", task,
                  length, reference, chance);
  for (const Scored& scored : others) {
    text += fmt::format(" {} {:.3f},", enum_name(scored.kind), scored.accuracy);
  }
  const auto level = std::count_if(others.begin(), others.end(), [&](const Scored& scored) {
    return scored.accuracy >= reference;
  });
  text.back() = '.';
  constexpr double kNear = 0.05;
  if (reference < chance + kNear) {
    return text + " The exact one is near chance: longer training would have to tell them apart.";
  }
  return text + fmt::format(" {} of {} reach the exact one.", level, others.size());
}

}  // namespace

std::span<const LeftOutAttention> left_out_attentions() { return kLeftOut; }

std::vector<AttentionKind> long_range_kinds() {
  std::vector<AttentionKind> kinds;
  for (const std::string& name : enum_name_list<AttentionKind>()) {
    const AttentionKind kind = *enum_value<AttentionKind>(name);
    if (std::none_of(kLeftOut.begin(), kLeftOut.end(),
                     [&](const LeftOutAttention& left_out) { return left_out.kind == kind; })) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

std::vector<std::string> measured_tasks(const Json& points) {
  std::vector<std::string> tasks;
  for (const auto& [name, point] : points.items()) {
    const std::string task = point["task"].get<std::string>();
    if (std::find(tasks.begin(), tasks.end(), task) == tasks.end()) {
      tasks.push_back(task);
    }
  }
  return tasks;
}

Curve long_curve(const Json& points, std::string_view task, AttentionKind kind, const char* field) {
  Curve curve;
  for (const auto& [name, point] : points.items()) {
    if (point["task"] == task && point["attention"] == enum_name(kind)) {
      curve.emplace_back(point["length"].get<double>(), point[field].get<double>());
    }
  }
  std::sort(curve.begin(), curve.end());
  return curve;
}

std::vector<std::string> long_range_findings(const Json& points) {
  std::vector<std::string> sentences;
  for (const AttentionKind kind : long_range_kinds()) {
    if (const std::string sentence = against_exact(points, kind);
        kind != kExact && !sentence.empty()) {
      sentences.push_back(sentence);
    }
  }
  const std::vector<std::string> tasks = measured_tasks(points);
  for (const std::string& task : tasks) {
    if (const std::string sentence = accuracy_sentence(points, task); !sentence.empty()) {
      sentences.push_back(sentence);
    }
  }
  if (std::find(tasks.begin(), tasks.end(), kTextTask) == tasks.end()) {
    sentences.emplace_back(
        "Classification of text by bytes is not on this page: it needs a file of labelled "
        "sentences, --text FILE.");
  }
  return sentences;
}

}  // namespace yona
