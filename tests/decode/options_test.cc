#include "yona/decode/options.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(DecodeOptions, DefaultsAreThePapers) {
  const DecodeOptions options;
  EXPECT_EQ(options.mode, BeamMode::paper);
  EXPECT_EQ(options.beam, 4);
  EXPECT_EQ(options.length_penalty, 0.6);
  EXPECT_EQ(options.limit.factor, 1.0);
  EXPECT_EQ(options.limit.extra, 50);
  check_options(options);
}

TEST(DecodeOptions, EveryModeHasANameAndDefaultsThatPass) {
  for (const std::string& name : beam_mode_names()) {
    EXPECT_EQ(name_of(beam_mode(name)), name);
    EXPECT_EQ(DecodeOptions::for_mode(beam_mode(name)).mode, beam_mode(name));
    check_options(DecodeOptions::for_mode(beam_mode(name)));
  }
  EXPECT_EQ(
      message_of<InvalidArgument>([] { beam_mode("opennmt"); }),
      "beam mode: 'opennmt' is unknown; use paper, huggingface, ctranslate2, marian, fairseq");
}

template <class Change>
std::string complaint(const Change& change) {
  DecodeOptions options;
  options.sampling.on = true;
  change(options);
  return message_of<InvalidArgument>([&] { check_options(options); });
}

TEST(DecodeOptions, SayWhatCannotBe) {
  EXPECT_EQ(complaint([](auto& o) { o.beam = 0; }), "beam: 0 is not between 1 and 65536");
  EXPECT_EQ(complaint([](auto& o) { o.n_best = 0; }), "n-best: 0 is below 1");
  EXPECT_EQ(complaint([](auto& o) {
              o.sampling.on = false;
              o.n_best = 5;
            }),
            "n-best: 5 hypotheses need a beam of as many; it is 4");
  EXPECT_EQ(complaint([](auto& o) { o.length_penalty = NAN; }),
            "length penalty: nan is not a number");
  EXPECT_EQ(complaint([](auto& o) { o.word_penalty = INFINITY; }),
            "word penalty: inf is not a number");
  EXPECT_EQ(complaint([](auto& o) { o.patience = 0; }), "patience: 0 is not above 0");
  EXPECT_EQ(complaint([](auto& o) { o.limit.factor = -1; }),
            "maximum length: a factor of -1 is negative");
  EXPECT_EQ(complaint([](auto& o) { o.limit = {.factor = 0, .extra = -2}; }),
            "maximum length: -2 is negative");
  EXPECT_EQ(complaint([](auto& o) { o.min_length = -1; }), "minimum length: -1 is negative");
  EXPECT_EQ(complaint([](auto& o) { o.no_repeat_ngram = -1; }), "no-repeat n-gram: -1 is negative");
  EXPECT_EQ(complaint([](auto& o) { o.sampling.temperature = 0; }),
            "sampling: a temperature of 0 is not above 0");
  EXPECT_EQ(complaint([](auto& o) { o.sampling.top_k = -1; }),
            "sampling: top-k -1 is negative; 0 takes all tokens");
  EXPECT_EQ(complaint([](auto& o) { o.sampling.top_p = 1.5; }),
            "sampling: top-p 1.5 is not in (0, 1]");
}

}  // namespace
}  // namespace yona::testing
