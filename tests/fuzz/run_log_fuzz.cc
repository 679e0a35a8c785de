// Any bytes given as a run's log.jsonl: whole lines of JSON become events, which the dashboard
// sends on, and a summary for `yona runs`; all else is left out. Nothing is thrown.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "yona/serve/runs.h"

#include "tests/fuzz/memory_file.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::MemoryFolder folder({yona::serve::kRunLog});
  folder.set(data, size);
  const auto all = yona::serve::run_events(folder.path(), 0, 1000);
  for (const yona::Json& event : all.events) {
    require(event.is_object());
    event.dump(-1, ' ', false, yona::Json::error_handler_t::replace);
  }
  const auto first = yona::serve::run_events(folder.path(), 0, 1);
  require(first.events.size() <= 1 && first.next <= all.next);
  const yona::serve::RunSummary summary = yona::serve::run_summary(folder.path());
  require(!summary.state.empty());
  return 0;
}
