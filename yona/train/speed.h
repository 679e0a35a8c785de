// How long an update of a run takes, measured on a model that is then thrown away.
#pragma once

#include <functional>
#include <memory>

#include "yona/backend/backend.h"
#include "yona/data/examples.h"
#include "yona/train/task.h"
#include "yona/train/train_config.h"

namespace yona {

struct Speed {
  double seconds_per_update = 0;
  double updates_per_pass = 1;  // over the data
};

// Seconds since an arbitrary moment. Tests have clocks of their own.
using SecondsClock = std::function<double()>;

// Trains on the run's first batches for about `seconds`, after one update that is not counted: the
// first one allocates memory, and on a GPU chooses algorithms.
Speed measure_speed(const Task& task, const std::shared_ptr<const Examples>& examples,
                    const TrainConfig& train, Backend& backend, double seconds,
                    const SecondsClock& clock);

}  // namespace yona
