// Layouts are made for every batch; their memory, and the host's side of what they hold, goes
// round, so that a step allocates nothing.

#include "yona/tensor/ragged.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#include "yona/base/random.h"

namespace yona {

namespace {

// Keeps what it is given back for the next one, from any thread and as long as the process lives.
template <class T>
class Recycled {
 public:
  using value_type = T;  // NOLINT(readability-identifier-naming): what allocators call it

  Recycled() = default;
  template <class U>
  Recycled(const Recycled<U>& /*other*/) {}  // NOLINT(google-explicit-constructor): rebinding

  T* allocate(std::size_t count) {
    const std::lock_guard lock(spare().mutex);
    if (count != 1 || spare().places.empty()) {
      return static_cast<T*>(::operator new(count * sizeof(T)));
    }
    T* place = spare().places.back();
    spare().places.pop_back();
    return place;
  }
  void deallocate(T* place, std::size_t count) {
    if (count != 1) {
      ::operator delete(place);
      return;
    }
    const std::lock_guard lock(spare().mutex);
    spare().places.push_back(place);
  }
  template <class U>
  bool operator==(const Recycled<U>& /*other*/) const {
    return true;
  }

 private:
  struct Spare {
    std::mutex mutex;
    std::vector<T*> places;
  };
  static Spare& spare() {
    static auto* kept = new Spare;  // never destroyed: layouts may outlive other statics
    return *kept;
  }
};

}  // namespace

std::shared_ptr<const Layout> make_layout(std::span<const std::int64_t> offsets,
                                          std::span<const std::uint64_t> sentence_ids,
                                          Region& region) {
  check(!offsets.empty() && offsets.front() == 0, "layout: offsets must begin with 0");
  check(sentence_ids.empty() || sentence_ids.size() + 1 == offsets.size(),
        "layout: {} sentence ids for {} sentences", sentence_ids.size(), offsets.size() - 1);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    check(offsets[s] <= offsets[s + 1], "layout: offsets fall from {} to {} at sentence {}",
          offsets[s], offsets[s + 1], s);
  }
  const auto layout = std::allocate_shared<Layout>(Recycled<Layout>());
  layout->sentences = static_cast<std::int64_t>(offsets.size()) - 1;
  layout->tokens = offsets.back();
  layout->lengths = 0;
  thread_local std::vector<std::int32_t> positions;
  thread_local std::vector<std::int64_t> keys;
  positions.resize(static_cast<std::size_t>(layout->tokens));
  keys.resize(positions.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::int64_t length = offsets[s + 1] - offsets[s];
    layout->longest = std::max(layout->longest, length);
    layout->lengths |= length_class(length);
    const std::uint64_t id = sentence_ids.empty() ? s : sentence_ids[s];
    for (std::int64_t i = 0; i < length; ++i) {
      const auto token = static_cast<std::size_t>(offsets[s] + i);
      positions[token] = static_cast<std::int32_t>(i);
      keys[token] = static_cast<std::int64_t>(mix(id, static_cast<std::uint64_t>(i)));
    }
  }
  layout->offsets = Tensor(region, DType::i64, Shape{static_cast<std::int64_t>(offsets.size())});
  layout->offsets.upload_bytes(offsets.data(), static_cast<std::int64_t>(offsets.size_bytes()));
  layout->positions = Tensor(region, DType::i32, Shape{layout->tokens});
  layout->positions.upload(positions);
  layout->row_keys = Tensor(region, DType::i64, Shape{layout->tokens});
  layout->row_keys.upload(keys);
  return layout;
}

std::shared_ptr<const Layout> make_step_layout(const Tensor& positions) {
  auto layout = std::make_shared<Layout>();
  layout->sentences = layout->tokens = positions.elements();
  layout->longest = 1;
  layout->lengths = length_class(1);
  layout->positions = positions;
  return layout;
}

std::shared_ptr<const Layout> make_step_layout(std::int64_t rows, std::int64_t position,
                                               Region& region) {
  const Tensor positions(region, DType::i32, Shape{rows});
  positions.upload(std::vector<std::int32_t>(static_cast<std::size_t>(rows),
                                             static_cast<std::int32_t>(position)));
  return make_step_layout(positions);
}

std::shared_ptr<const Layout> make_continued_layout(std::span<const std::int64_t> fresh,
                                                    std::span<const std::int64_t> cached,
                                                    Region& region) {
  check(fresh.size() == cached.size(), "layout: {} new lengths for {} sentences", fresh.size(),
        cached.size());
  auto layout = std::make_shared<Layout>();
  layout->sentences = static_cast<std::int64_t>(fresh.size());
  layout->lengths = 0;
  std::vector<std::int32_t> positions;
  for (std::size_t s = 0; s < fresh.size(); ++s) {
    layout->longest = std::max(layout->longest, fresh[s]);
    layout->lengths |= length_class(fresh[s]);
    for (std::int64_t i = 0; i < fresh[s]; ++i) {
      positions.push_back(static_cast<std::int32_t>(cached[s] + i));
    }
  }
  layout->tokens = static_cast<std::int64_t>(positions.size());
  layout->positions = Tensor(region, DType::i32, Shape{layout->tokens});
  layout->positions.upload(positions);
  return layout;
}

}  // namespace yona
