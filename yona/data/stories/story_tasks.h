// Twenty kinds of questions about short stories, in the style of bAbI (Weston et al. 2015,
// "Towards AI-complete question answering"): each needs another ability, and each can be answered
// from its story alone. The stories are our own; they are a function of task, number and seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

// In the order of the bAbI tasks 1 to 20: "single-fact", "two-facts" …
std::vector<std::string> story_task_names();

// Stories with at least `questions` questions, in the format of story_reader.h. Throws
// InvalidArgument with the list of names.
std::string make_stories(std::string_view task, std::int64_t questions, std::uint64_t seed);

}  // namespace yona
