// The gradient of an update: the sum of those of its micro-batches, in their order, whichever rank
// computed them. So N ranks have the same bits as one that accumulates N times as much.
//
// Rank r has micro-batches r, r + N, r + 2N … of an update. After each round every rank sends the
// slices of its gradient to their owners (parallel/shards.h), which add them in the order of ranks:
// that of the micro-batches. Buckets of slices go as soon as their gradients are final, while the
// backward pass goes on with the others, from the last bucket to the first: all ranks have the same
// order, whenever each of them gets there.
//
// On the CPU the thread that computes moves the bytes, between two closures of the tape: a thread
// for that alone would take a core from the computation. On GPUs a stream of its own exchanges and
// adds.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "yona/nn/parameters.h"
#include "yona/parallel/communicator.h"
#include "yona/parallel/shards.h"

namespace yona {

class GradientSum {
 public:
  // For updates with that many micro-batches, of all ranks together. `parameters` and `ranks` must
  // outlive this object; nullptr: this process is alone. With bf16, gradients of micro-batches are
  // rounded to it before they are exchanged and added, in a process alone too; sums are f32.
  GradientSum(Parameters& parameters, Backend& backend, std::int64_t micro_batches,
              Communicator* ranks = nullptr, Precision exchange = Precision::f32);

  // Of this rank, in a round; ranks may have none in the last.
  bool has_micro_batch(std::int64_t round) const { return micro_batch(round) < micro_batches_; }
  std::int64_t micro_batch(std::int64_t round) const {
    return round * shards_.size() + shards_.rank();
  }
  std::int64_t rounds() const { return (micro_batches_ + shards_.size() - 1) / shards_.size(); }

  // Does it help to call advance() before add()?
  bool overlaps() const;
  // During this rank's backward pass: gradients of elements from here on are final.
  // Exchanges them as far as that can be done without waiting.
  void advance(std::int64_t final_from);
  // Adds what the parameters' gradients hold after a round; the first one begins a new sum. All
  // ranks together.
  void add(std::int64_t round);
  // Of this rank's shard; valid after the last round.
  Tensor total() const { return sum_ ? sum_.columns(0, shards_.owned()) : parameters_.gradients(); }

 private:
  // A bucket on its way, and the place that it has among those that may be.
  struct Bucket {
    std::size_t number = 0;
    std::int64_t place = 0;
    std::unique_ptr<PendingExchange> exchange{};  // nullptr: done, or in the order of the stream
  };
  enum class Wait : bool { no, yes };

  bool rounds_values() const { return exchange_ == DType::bf16; }
  bool has_sum() const;
  std::int64_t received_width() const;
  std::int64_t rounded_width() const;
  std::int64_t region_bytes() const;
  // Ranks that have a micro-batch in the present round.
  int present() const;
  std::int64_t begin_of(std::size_t bucket) const { return slices_.front()[bucket].begin; }
  std::int64_t end_of(std::size_t bucket) const { return slices_.back()[bucket].end; }

  void add_alone();
  // Adds gradients to the sum, from an element of the shard on.
  void add_part(const Tensor& gradients, std::int64_t packed, bool is_first);
  // Exchanges buckets whose gradients are final; with `wait` until all of them are added.
  void exchange_ready(Wait wait);
  void start(std::size_t bucket);
  void add_received(const Bucket& bucket);
  // The present gradients of a slice of the bucket, as they are sent.
  Tensor outgoing(const Bucket& bucket, const Shards::Slice& slice) const;
  // Those of this rank's slice that come from another.
  Tensor incoming(const Bucket& bucket, int rank) const;

  Parameters& parameters_;
  Backend& backend_;
  std::int64_t micro_batches_;
  Communicator* ranks_;
  DType exchange_;  // of what is sent
  Shards shards_;
  std::vector<std::vector<Shards::Slice>> slices_;  // of all ranks
  std::int64_t places_ = 0;                         // of buckets on their way
  Region region_;
  Tensor sum_;       // [1, owned]; empty where the parameters' own gradients are the sum
  Tensor received_;  // [places · ranks, the largest own slice]; empty in a process alone
  Tensor rounded_;   // [places, the largest bucket]; empty unless values are rounded
  std::unique_ptr<SideStream> side_;
  std::int64_t round_ = 0;
  std::size_t ready_ = 0;  // buckets from here on are final,
  std::size_t next_ = 0;   // and those from here on were started
  std::int64_t started_ = 0;
  std::vector<Message> sends_, receives_;  // of the bucket that is started; kept: no malloc
  std::deque<Bucket> under_way_;           // after its buffers, so that it goes before them
};

}  // namespace yona
