// Pictures that memory does not hold: they are read again whenever they are needed, many at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/base/thread_pool.h"
#include "yona/data/images/labelled_images.h"

namespace yona {

class LatePictures {
 public:
  LatePictures() = default;
  virtual ~LatePictures() = default;
  LatePictures(const LatePictures&) = delete;
  LatePictures& operator=(const LatePictures&) = delete;

  // Picture i in the size that all have, into as many bytes. Thread-safe. Throws IoError or
  // FormatError naming the file, also where it has changed since it was first read.
  virtual void read(std::uint64_t i, std::uint8_t* to) const = 0;
};

// Some pictures, those that memory does not hold read by the threads of a pool.
class PictureBatch {
 public:
  // All have `shape`. Without a pool the calling thread reads.
  PictureBatch(const ImageShape& shape, ThreadPool* pool) : shape_(shape), pool_(pool) {}

  void clear() { items_.clear(); }
  // The pictures of `file`, which must outlive this object, get the numbers 0, 1 … as they are
  // added.
  void add(const LabelledImages& file, std::uint64_t image) { items_.push_back({&file, image}); }
  // Before pixels(). Throws as LatePictures::read() does.
  void read();
  const std::uint8_t* pixels(std::size_t number) const { return items_[number].pixels; }

 private:
  struct Item {
    const LabelledImages* file = nullptr;
    std::uint64_t image = 0;
    const std::uint8_t* pixels = nullptr;
  };

  ImageShape shape_;
  ThreadPool* pool_;
  std::vector<Item> items_;
  std::vector<std::uint8_t> bytes_;  // of those that are read
};

// function(i) for all i below `count`, by the pool's threads where there is a pool.
template <class Function>
void for_each_picture(std::int64_t count, ThreadPool* pool, const Function& function) {
  if (pool != nullptr) {
    pool->run(count, function);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    function(i);
  }
}

}  // namespace yona
