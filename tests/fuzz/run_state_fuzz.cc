// Any bytes given as a checkpoint's state.json: a state that survives being written and read again,
// or FormatError. The same bytes as choices.txt: taken, or refused as another machine's.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/backend/choices.h"
#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/train/run_state.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void read_as_state(std::string_view bytes) {
  const yona::RunState state =
      yona::RunState::from_json(yona::parse_json(bytes, "state.json"), "state.json");
  const yona::Json written = state.to_json();
  require(yona::RunState::from_json(written, "again.json").to_json() == written);
  state.to_keep({}, 3, 1);
}

void read_as_choices(std::string_view bytes) {
  yona::Choices choices("machine");
  if (choices.take(bytes)) {
    yona::Choices again("machine");
    require(choices.used().empty() || again.take(choices.used()));
    require(again.used() == choices.used());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    read_as_state(bytes);
  } catch (const yona::FormatError&) {  // the other allowed answer
  }
  read_as_choices(bytes);
  return 0;
}
