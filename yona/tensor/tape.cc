#include "yona/tensor/tape.h"

namespace yona {

void* Tape::reserve(std::size_t bytes) {
  bytes = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
          alignof(std::max_align_t);
  if (!chunks_.empty() && used_ + bytes > kChunk) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) {
    chunks_.push_back(std::make_unique<std::byte[]>(kChunk));
  }
  void* place = chunks_[chunk_].get() + used_;
  used_ += bytes;
  return place;
}

void Tape::pop() noexcept {
  nodes_.back().destroy(nodes_.back().closure);
  nodes_.pop_back();
  if (nodes_.empty()) {
    chunk_ = 0;
    used_ = 0;
  }
}

bool Tape::step() {
  if (nodes_.empty()) {
    return false;
  }
  nodes_.back().run(nodes_.back().closure);
  pop();
  return true;
}

void Tape::clear() noexcept {
  while (!nodes_.empty()) {
    pop();
  }
}

}  // namespace yona
