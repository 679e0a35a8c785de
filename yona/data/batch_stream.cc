// A ring of slots between the preparing thread and next().

#include "yona/data/batch_stream.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/data/batches.h"

namespace yona {

namespace {

BatchOptions with_group(BatchOptions options) {
  options.group = options.group > 0 ? options.group : options.world_size;
  return options;
}

}  // namespace

class BatchStream::Producer {
 public:
  enum class Passes : std::uint8_t { one, endless };

  Producer(std::shared_ptr<const Examples> examples, const BatchOptions& options,
           BatchPosition position, Passes passes)
      : examples_(std::move(examples)),
        options_(with_group(options)),
        passes_(passes),
        plan_(make_plan(position.epoch)),
        ahead_(position),
        number_(options.rank),
        delivered_{position, plan_.batches()},
        slots_(static_cast<std::size_t>(options.prefetch)) {
    check(position.index >= 0 && position.index <= plan_.batches(),
          "data: there is no batch {} in epoch {}, which has {}; the data or the batch size is not "
          "what it was",
          position.index, position.epoch, plan_.batches());
    thread_ = std::thread([this] { run(); });
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;
  ~Producer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  bool next(Batch& batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return filled_ > 0 || finished_; });
    if (filled_ == 0) {
      if (error_) {
        std::rethrow_exception(error_);
      }
      return false;
    }
    Slot& slot = slots_[front_];
    std::swap(batch, slot.batch);
    delivered_ = slot.after;
    front_ = (front_ + 1) % slots_.size();
    --filled_;
    lock.unlock();
    changed_.notify_all();
    return true;
  }

  BatchPosition position() const { return delivered_.position; }
  std::int64_t epoch_batches() const { return delivered_.epoch_batches; }

 private:
  struct Place {
    BatchPosition position;
    std::int64_t epoch_batches = 0;
  };
  struct Slot {
    Batch batch;
    Place after;
  };

  BatchPlan make_plan(std::int64_t epoch) const {
    return passes_ == Passes::one
               ? BatchPlan::in_order(*examples_, options_.batch_tokens)
               : BatchPlan::shuffled(*examples_, options_.batch_tokens, options_.seed, epoch);
  }

  // Makes ahead_ point at a batch; false at the end of the only pass.
  bool enter() {
    while (ahead_.index >= plan_.batches()) {
      if (passes_ == Passes::one) {
        return false;
      }
      ahead_ = {ahead_.epoch + 1, ahead_.index - plan_.batches()};
      plan_ = make_plan(ahead_.epoch);
    }
    return true;
  }

  // Prepares the next batch of this rank; the group it belongs to may reach into the next epoch.
  bool prepare(Slot& slot) {
    if (number_ == options_.rank) {  // the first of its group
      ahead_.index += options_.rank;
    }
    if (!enter()) {
      return false;
    }
    examples_->fill(plan_.batch(ahead_.index), options_.batch_tokens, {options_.seed, ahead_.epoch},
                    slot.batch);
    slot.batch.epoch = ahead_.epoch;
    slot.batch.index = ahead_.index;
    const bool is_last = number_ + options_.world_size >= options_.group;
    ahead_.index += is_last ? options_.group - number_ : options_.world_size;
    number_ = is_last ? options_.rank : number_ + options_.world_size;
    if (passes_ == Passes::endless) {
      enter();  // the position after the last batch of an epoch is the first of the next
    }
    slot.after = {ahead_, plan_.batches()};
    return true;
  }

  void run() {
    std::size_t back = 0;
    try {
      for (;;) {
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [&] { return stopping_ || filled_ < slots_.size(); });
          if (stopping_) {
            return;
          }
        }
        if (!prepare(slots_[back])) {  // a slot that is not filled belongs to this thread
          break;
        }
        back = (back + 1) % slots_.size();
        {
          const std::lock_guard lock(mutex_);
          ++filled_;
        }
        changed_.notify_all();
      }
    } catch (...) {
      error_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
    }
    changed_.notify_all();
  }

  std::shared_ptr<const Examples> examples_;
  BatchOptions options_;
  Passes passes_;
  BatchPlan plan_;
  BatchPosition ahead_;
  std::int64_t number_;  // in its group: of the batch that is prepared next
  Place delivered_;      // after the batch that next() gave last
  std::vector<Slot> slots_;
  std::size_t front_ = 0;
  std::size_t filled_ = 0;
  bool stopping_ = false;
  bool finished_ = false;
  std::exception_ptr error_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

BatchStream BatchStream::training(std::shared_ptr<const Examples> examples,
                                  const BatchOptions& options, BatchPosition position) {
  check(options.world_size >= 1 && options.rank >= 0 && options.rank < options.world_size,
        "data: rank {} of {} does not exist", options.rank, options.world_size);
  check(options.group == 0 || options.group > options.rank,
        "data: rank {} has no batch in groups of {}", options.rank, options.group);
  check(options.prefetch >= 1, "data: prefetch is {}; it must be 1 or more", options.prefetch);
  check(position.epoch >= 0, "data: there is no epoch {}", position.epoch);
  return BatchStream(std::make_unique<Producer>(std::move(examples), options, position,
                                                Producer::Passes::endless));
}

BatchStream BatchStream::validation(std::shared_ptr<const Examples> examples,
                                    std::int64_t batch_tokens) {
  BatchOptions options;
  options.batch_tokens = batch_tokens;
  return BatchStream(std::make_unique<Producer>(std::move(examples), options, BatchPosition{},
                                                Producer::Passes::one));
}

BatchStream::BatchStream(std::unique_ptr<Producer> producer) : producer_(std::move(producer)) {}
BatchStream::BatchStream(BatchStream&&) noexcept = default;
BatchStream& BatchStream::operator=(BatchStream&&) noexcept = default;
BatchStream::~BatchStream() = default;

bool BatchStream::next(Batch& batch) { return producer_->next(batch); }
BatchPosition BatchStream::position() const { return producer_->position(); }
std::int64_t BatchStream::epoch_batches() const { return producer_->epoch_batches(); }

}  // namespace yona
