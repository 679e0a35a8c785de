// What a run of question answering trains on: the keys data.*, and which model it is.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

enum class QuestionArch : std::uint8_t { memory_network };
constexpr std::array<std::string_view, 1> enum_names(QuestionArch) { return {"memory-network"}; }

struct QuestionsConfig {
  QuestionArch arch = QuestionArch::memory_network;
  std::vector<std::filesystem::path> train;
  std::vector<std::filesystem::path> valid;
  // Without files: tasks of the generator (data/stories/story_tasks.h) by name; empty: all.
  std::vector<std::string> tasks;
  std::int64_t questions = 1000;  // of each of these tasks, to train on
};

}  // namespace yona
