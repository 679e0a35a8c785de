#include "yona/train/readbacks.h"

#include <algorithm>

namespace yona {

std::shared_ptr<Readback> Readbacks::start(const void* from, std::int64_t bytes) {
  auto unused = std::find_if(all_.begin(), all_.end(),
                             [](const auto& readback) { return readback.use_count() == 1; });
  if (unused == all_.end()) {
    unused = all_.insert(all_.end(), backend_.make_readback());
  }
  (*unused)->start(from, bytes);
  return *unused;
}

}  // namespace yona
