// The tasks of story_tasks.h that are about a map: who is north of whom, what fits into what, which
// way leads where. Each function writes one story with its questions.
#pragma once

#include "yona/data/stories/story_world.h"

namespace yona {

void two_arguments(StoryWriter& out);       // "The office is north of the kitchen."
void relative_positions(StoryWriter& out);  // "The red square is above the blue circle."
void relative_sizes(StoryWriter& out);      // "The box fits inside the chest."
void paths(StoryWriter& out);               // from room to room, two steps: "north,west"

}  // namespace yona
