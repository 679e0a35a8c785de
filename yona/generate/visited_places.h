// The places that one search through a grammar has met: a hash table that is emptied at no cost, so
// that thousands of searches do not allocate.
#pragma once

#include <cstdint>
#include <vector>

namespace yona {

class VisitedPlaces {
 public:
  // Begins another search.
  void clear() {
    ++search_;
    size_ = 0;
  }
  // False if this search has met the place before.
  bool insert(std::int32_t node, std::int32_t stack) {
    if (2 * (size_ + 1) > slots_.size()) {
      grow();
    }
    const std::uint64_t key =
        std::uint64_t{static_cast<std::uint32_t>(node)} << 32U | static_cast<std::uint32_t>(stack);
    Slot& slot = slot_of(key);
    if (slot.search == search_) {
      return false;
    }
    slot = {key, search_};
    ++size_;
    return true;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t search = 0;  // that filled the slot; slots of earlier searches are free
  };

  // The slot that holds the key, or the free one where it belongs.
  Slot& slot_of(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t hash = key * 0x9E3779B97F4A7C15U;
    std::size_t at = static_cast<std::size_t>(hash ^ hash >> 32U) & mask;
    while (slots_[at].search == search_ && slots_[at].key != key) {
      at = (at + 1) & mask;
    }
    return slots_[at];
  }

  void grow() {
    constexpr std::size_t kFirst = 64;
    std::vector<Slot> before(slots_.empty() ? kFirst : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.search == search_) {
        slot_of(slot.key) = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  std::uint64_t search_ = 1;
};

}  // namespace yona
