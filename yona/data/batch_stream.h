// Batches one after another, prepared ahead by a thread of its own: what the training loop reads.
//
//   BatchStream stream = BatchStream::training(examples, options, position);
//   for (Batch batch; stream.next(batch);) { … save stream.position() with the checkpoint … }
#pragma once

#include <cstdint>
#include <memory>

#include "yona/data/batch.h"
#include "yona/data/examples.h"

namespace yona {

struct BatchOptions {
  std::int64_t batch_tokens = 4096;
  std::uint64_t seed = 1;
  // Data parallel: of each `group` consecutive batches (0: `world_size`), this process gets
  // numbers rank, rank + world_size, …
  int rank = 0;
  int world_size = 1;
  std::int64_t group = 0;
  int prefetch = 4;  // batches prepared ahead
};

// Where a stream stands: with the seed, all that resuming needs. The same on every rank.
struct BatchPosition {
  std::int64_t epoch = 0;
  std::int64_t index = 0;
  bool operator==(const BatchPosition&) const = default;
};

class BatchStream {
 public:
  // Endless: epoch after epoch, from `position` on. Throws InvalidArgument when there is no such
  // position: the data or the batch size is not what it was.
  static BatchStream training(std::shared_ptr<const Examples> examples, const BatchOptions& options,
                              BatchPosition position = {});
  // Every example once, in the order of the files.
  static BatchStream validation(std::shared_ptr<const Examples> examples,
                                std::int64_t batch_tokens);

  BatchStream(BatchStream&&) noexcept;
  BatchStream& operator=(BatchStream&&) noexcept;
  ~BatchStream();

  // Replaces the content of `batch`; storage goes round, so nothing is allocated once batches have
  // reached their size. False when there are no more. Rethrows what preparing a batch threw.
  bool next(Batch& batch);

  // Where to go on after the batch that next() gave last.
  BatchPosition position() const;
  // How many batches the epoch of position() has.
  std::int64_t epoch_batches() const;

 private:
  class Producer;
  explicit BatchStream(std::unique_ptr<Producer> producer);
  std::unique_ptr<Producer> producer_;
};

}  // namespace yona
