#include "yona/train/gradient_sum.h"

#include <algorithm>
#include <vector>

#include "yona/base/timing.h"
#include "yona/train/buffer_exchange.h"

namespace yona {

namespace {

constexpr auto kFloatBytes = static_cast<std::int64_t>(sizeof(float));

// Over GPUs one rank exchanges with itself: all but the wire can be tried on one machine.
bool exchanges(const Communicator* ranks) {
  return ranks != nullptr && (ranks->size() > 1 || ranks->devices() != nullptr);
}

std::int64_t sum_region_bytes(const Shards& shards, std::int64_t micro_batches, bool exchanges) {
  const std::int64_t sum = exchanges || micro_batches > 1 ? shards.owned() : 0;
  const std::int64_t received = exchanges ? shards.size() * shards.largest_own() : 0;
  return (sum + received) * kFloatBytes + 4096;
}

}  // namespace

GradientSum::GradientSum(Parameters& parameters, Backend& backend, std::int64_t micro_batches,
                         Communicator* ranks)
    : parameters_(parameters),
      backend_(backend),
      micro_batches_(micro_batches),
      ranks_(ranks),
      shards_(parameters.count(), ranks != nullptr ? ranks->rank() : 0,
              ranks != nullptr ? ranks->size() : 1),
      region_(backend, sum_region_bytes(shards_, micro_batches, exchanges(ranks))) {
  if (exchanges(ranks_) || micro_batches > 1) {
    sum_ = Tensor(region_, DType::f32, Shape{1, std::max<std::int64_t>(shards_.owned(), 1)});
  }
  if (exchanges(ranks_)) {
    received_ = Tensor(region_, DType::f32,
                       Shape{shards_.size(), std::max<std::int64_t>(shards_.largest_own(), 1)});
  }
}

void GradientSum::add_slice(const Tensor& gradients, std::int64_t packed, bool is_first) {
  const View sum = sum_.columns(packed, gradients.cols()).view();
  backend_.kernels().add(
      {.a = is_first ? gradients.view() : sum, .b = is_first ? View{} : gradients.view(), .y = sum},
      backend_.exec());
}

void GradientSum::add(std::int64_t round) {
  if (exchanges(ranks_)) {
    add_exchanged(round);
  } else if (sum_) {
    add_slice(parameters_.gradients(), 0, round == 0);
  }
}

void GradientSum::add_exchanged(std::int64_t round) {
  const int size = shards_.size();
  const auto present =
      static_cast<int>(std::min<std::int64_t>(size, micro_batches_ - round * size));
  const Tensor gradients = parameters_.gradients();
  auto* values = gradients.data<float>();
  std::vector<std::vector<Shards::Slice>> slices;
  slices.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    slices.push_back(shards_.slices(rank));
  }
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (std::size_t bucket = 0; bucket < shards_.own().size(); ++bucket) {
    const Shards::Slice& own = shards_.own()[bucket];
    sends.clear();
    receives.clear();
    for (int rank = 0; rank < size; ++rank) {
      if (rank == shards_.rank() && size > 1) {
        continue;
      }
      if (shards_.rank() < present) {
        const Shards::Slice& theirs = slices[static_cast<std::size_t>(rank)][bucket];
        sends.push_back({rank, values + theirs.begin, theirs.count() * kFloatBytes});
      }
      if (rank < present) {
        receives.push_back(
            {rank, received_.row_range(rank, 1).data<float>(), own.count() * kFloatBytes});
      }
    }
    const Clock::time_point start = Clock::now();
    exchange_buffers(*ranks_, backend_, sends, receives);
    exchange_seconds_ += seconds_since(start);
    for (int rank = 0; rank < present && own.count() > 0; ++rank) {
      add_slice(rank == shards_.rank() && size > 1
                    ? gradients.columns(own.begin, own.count())
                    : received_.row_range(rank, 1).columns(0, own.count()),
                own.packed, round == 0 && rank == 0);
    }
  }
}

}  // namespace yona
