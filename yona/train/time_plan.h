// How long a run trains, and what depends on that, where the user left it open: from the speed that
// was measured and the time that was given (--for), or from the size of the data.
//
// The rules, found on Multi30k (docs/training-time.md):
//   updates      what fits into the time; without a limit, a number of passes over the data; at
//                most train.epochs passes
//   batch_tokens halved, down to 1,024, while there would be fewer than 1,500 updates
//   warm-up      15 % of the updates, at most the value that was there before
//   ema          an average over the last eighth of the run, at most 1,000 updates: 1 − 8 / updates
//   validations  every 100 updates; at most ten with a time limit, forty if the run may stop early;
//                twice as many checkpoints
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "yona/train/train_config.h"

namespace yona {

class Examples;

// Keys that follow from the others where they are not given, with "train." in front.
const std::vector<std::string>& planned_train_keys();
// Of these, the ones that follow from the number of updates alone, and that number.
const std::vector<std::string>& planned_length_keys();
using OpenKeys = std::set<std::string>;

// What is known before the first update.
struct TimeFacts {
  double seconds_per_update = 0;  // with train.batch_tokens; 0: not measured
  double seconds_left = 0;        // for updates; 0: no limit
  double updates_per_pass = 1;    // over the data
  double passes = 10;             // after which little is left to learn; used without a limit
  std::int64_t done = 0;          // updates of a resumed run
};

struct TimePlan {
  TrainConfig train;   // with what was open
  double passes = 0;   // over the data
  double seconds = 0;  // that the updates take; 0: not known
};

// Changes no key that is not in `open`. Throws InvalidArgument when a warm-up that was given is as
// long as the run.
TimePlan plan_time(TrainConfig train, const OpenKeys& open, TimeFacts facts);

// The number of passes after which little is left to learn: 150 over 29,000 examples; it falls with
// the square root of their number.
double worthwhile_passes(std::uint64_t examples);
// The same for running text, by its tokens: 15 of them count as an example.
double worthwhile_text_passes(const Examples& examples);

// Of train.seconds, what remains for updates when `spent` seconds are over: a little is kept for
// validations and checkpoints. At least a second.
double seconds_for_updates(std::int64_t seconds, double spent);

}  // namespace yona
