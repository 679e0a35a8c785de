#include "yona/cli/translate_flags.h"

#include "yona/cli/bulk.h"
#include "yona/cli/compute_type.h"

namespace yona::cli {

namespace {

void add_file_flags(CLI::App& app, TranslateFlags& flags) {
  add_list(app, flags.models,
           {"-m,--model", "DIR…", "folder of a trained model; several are an ensemble"});
  add_text(app, flags.input,
           {"-i,--input", "FILE",
            "lines to translate (.gz, .xz and .zst too); default: standard "
            "input"});
  add_text(app, flags.output,
           {"-o,--output", "FILE",
            "translations; default: standard output; .gz, .xz, .zst: compressed"});
  add_chunk_lines(app, flags.chunk_lines);
  add_text(app, flags.prefixes,
           {"--prefix", "FILE", "a line for each input line that its translation begins with"});
  add_text(app, flags.targets,
           {"--score-targets", "FILE",
            "a translation of each input line: say how probable it is instead of translating, as "
            "`0 ||| text ||| F0= log-probability ||| score`"});
}

void add_language_flags(CLI::App& app, TranslateFlags& flags) {
  constexpr const char* kLanguages = "Languages";
  add_text(app, flags.source_language,
           {"--src-lang", "CODE",
            "the input's language, for models of several (mBART, M2M100, NLLB, T5), in their code "
            "or its beginning: en, en_XX, eng_Latn",
            kLanguages});
  add_text(app, flags.target_language,
           {"--tgt-lang", "CODE", "the language to translate into, likewise", kLanguages});
}

void add_word_flags(CLI::App& app, TranslateFlags& flags) {
  constexpr const char* kWords = "Words";
  add_text(app, flags.alignment,
           {"--alignment", "hard|soft",
            "after the text, which source words its words come from, by attention: `||| 0-0 1-2` "
            "(hard), or all weights (soft)",
            kWords});
  add_text(app, flags.alignment_layer,
           {"--alignment-layer", "N", "the decoder layer whose attention it is (default: the last)",
            kWords});
  add_switch(
      app, flags.word_scores,
      {"--word-scores", "",
       "after the text, the log-probability of each word: `||| WordScores= -0.1 -0.2`", kWords});
}

}  // namespace

void add_translate_flags(CLI::App& app, TranslateFlags& flags) {
  add_file_flags(app, flags);
  add_batch_tokens(app, flags.batch_tokens);
  add_text(app, flags.long_lines,
           {"--long", "split|refuse",
            "lines longer than the model takes: translate them sentence by sentence (split, the "
            "default), or end with an error"});
  add_text(app, flags.encoding,
           {"--encoding", "repair|refuse",
            "bytes that are not UTF-8: read them as U+FFFD and say where (repair, the default), or "
            "end with an error"});
  add_switch(app, flags.json, {"--json", "", "an object a line: scores, tokens, all hypotheses"});
  add_worker_flags(app, flags.workers);
  add_compute_type(app, flags.compute_type);
  add_text(app, flags.shortlist,
           {"--shortlist", "FILE",
            "only pieces that it lists for a line's pieces can come out (`yona shortlist` makes "
            "it): a smaller output layer, on CPUs"});
  add_language_flags(app, flags);
  add_word_flags(app, flags);
  add_search_flags(app, flags.search);
  add_output_flags(app, flags.search);
}

}  // namespace yona::cli
