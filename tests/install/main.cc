// A program outside yona's tree: includes installed headers, links yona::yona, prints what the test
// expects. It stays within the first few public headers, as a first-time user of the library would.

#include <cstdio>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/base/shape.h"
#include "yona/base/thread_pool.h"

int main() {
  yona::ThreadPool pool(1);
  std::int64_t slices = 0;
  pool.run(3, [&](std::int64_t) { ++slices; });
  const yona::Shape shape{slices, 4};
  try {
    yona::check(shape.rank() == 3, "outside: shape {} is not of rank 3", shape);
  } catch (const yona::InvalidArgument& error) {
    fmt::print("{}\n", error.what());
  }
  return yona::RandomSequence(7).next64() == yona::RandomSequence(7).next64() ? 0 : 1;
}
