// The fastest matrix product measured on this machine, with which the speed of a step is compared:
// `yona bench peak`.
#pragma once

#include "yona/backend/kernel_args.h"
#include "yona/base/json.h"

namespace yona {

// Several large products of oneDNN, each as often as fits into about `seconds`; the best counts,
// because everything that disturbs a measurement makes it slower. One object: gflops, and m, n, k
// of the product that reached it.
Json bench_peak(Precision precision, int threads, double seconds);

}  // namespace yona
