// Results that are copied to the host while the device continues: each copy is read one update
// later, when it is needed, and its memory is reused.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "yona/backend/backend.h"

namespace yona {

class Readbacks {
 public:
  explicit Readbacks(Backend& backend) : backend_(backend) {}

  // Begins to copy what the device has there after all that was called before. The copy belongs to
  // the caller until it lets go of it.
  std::shared_ptr<Readback> start(const void* from, std::int64_t bytes);

 private:
  Backend& backend_;
  std::vector<std::shared_ptr<Readback>> all_;
};

}  // namespace yona
