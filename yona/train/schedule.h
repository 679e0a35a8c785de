// The learning rate of an update (paper §5.3, eq. 3, and the other schedules in use).
#pragma once

#include <cstdint>

#include "yona/train/train_config.h"

namespace yona {

// update counts from 1; updates is the planned last one (for cosine and linear).
//   paper         rate · d_model^-0.5 · min(update^-0.5, update · warmup^-1.5)
//   inverse_sqrt  rate · min(update / warmup, √(warmup / update))
//   cosine        warm-up, then half a cosine from rate to final_rate at the last update
//   linear        warm-up, then a straight line from rate to final_rate
//   constant      warm-up, then rate
double learning_rate(const ScheduleConfig& schedule, std::int64_t d_model, std::int64_t updates,
                     std::int64_t update);

// Does the course depend on the number of updates (cosine and linear)?
bool has_end(const ScheduleConfig& schedule);

// Throws InvalidArgument naming the keys when they do not go together.
void check_schedule(const ScheduleConfig& schedule);
// The same, and for a warm-up as long as the run where the course ends with it.
void check_schedule(const TrainConfig& train);

}  // namespace yona
