// The tree that a beam search makes: which continuations it looked at in each step, which went on,
// and which one won.
#pragma once

#include <string>

#include "yona/base/json.h"
#include "yona/decode/translator.h"

namespace yona::serve {

// {"tokens": source pieces, "steps": [[{"id", "parent", "token", "score", "kept", "finished"}, …],
// …],
//  "best": id}: nodes are numbered from 1 in the order they were looked at; the parent of the first
// step is 0. "best" is the last node of the best hypothesis; 0 when there is none. Throws
// InvalidArgument for a text that has more tokens than the model takes, HttpError 413 for a tree of
// more nodes than `most_nodes`, as soon as it has them.
Json beam_tree(const TranslationModel& model, Translator& translator, const std::string& text,
               std::int64_t most_nodes);

}  // namespace yona::serve
