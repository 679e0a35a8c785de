// What a run trains: the model's shape, and what turns lines of text into its ids. Both are new, or
// those of the folder that it starts from (--init), or those that it began with (--resume).
#pragma once

#include "yona/io/translation_model.h"
#include "yona/tasks/run_config.h"
#include "yona/text/pair_encoder.h"
#include "yona/train/task.h"

namespace yona {

struct RunModel {
  PairEncoder encoder;
  ModelInfo info;
  TextFrame frame{};      // of a family's model
  Languages languages{};  // that the run names, if any
};

// Sub-words are, in this order, those
// of a resumed run, of the model that it starts from, of the .spm files given, or new ones trained
// on the corpora; they are saved in the run's folder.
//
// A Marian model (post-norm, </s> 0, <pad> last) is trained on as one of yona's. One of another
// family stays what it is: its tokeniser, its special tokens and languages, its config.json.
// Throws InvalidArgument for a language or tags that the model lacks, for a language that it needs
// and that is not given, and for weights that cannot be trained; else as read_model_info() does.
RunModel prepare_model(const RunConfig& config, const RunPlace& place);

// Writes the languages of a family's model into the run's folder: see trained_folder.h.
void keep_languages(const RunModel& model, const std::filesystem::path& run);

}  // namespace yona
