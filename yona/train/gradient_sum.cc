#include "yona/train/gradient_sum.h"

#include <algorithm>
#include <utility>

#include "yona/train/buffer_exchange.h"

namespace yona {

namespace {

constexpr std::int64_t kAlonePiece = 16 * Shards::kGranule;  // that is rounded at a time

// Over GPUs one rank exchanges with itself: all but the wire can be tried on one machine.
bool exchanges(const Communicator* ranks) {
  return ranks != nullptr && (ranks->size() > 1 || ranks->devices() != nullptr);
}

// Two on the host: while one is on its way, the one before can be added. A stream has its order.
std::int64_t places_for(const Communicator* ranks, const Backend& backend) {
  return !exchanges(ranks) ? 0 : backend.on_host() && ranks->devices() == nullptr ? 2 : 1;
}

std::vector<std::vector<Shards::Slice>> slices_of_all(const Shards& shards) {
  std::vector<std::vector<Shards::Slice>> slices;
  slices.reserve(static_cast<std::size_t>(shards.size()));
  for (int rank = 0; rank < shards.size(); ++rank) {
    slices.push_back(shards.slices(rank));
  }
  return slices;
}

}  // namespace

GradientSum::GradientSum(Parameters& parameters, Backend& backend, std::int64_t micro_batches,
                         Communicator* ranks, Precision exchange)
    : parameters_(parameters),
      backend_(backend),
      micro_batches_(micro_batches),
      ranks_(ranks),
      exchange_(exchange == Precision::bf16 ? DType::bf16 : DType::f32),
      shards_(parameters.count(), ranks != nullptr ? ranks->rank() : 0,
              ranks != nullptr ? ranks->size() : 1),
      slices_(slices_of_all(shards_)),
      places_(places_for(ranks, backend)),
      region_(backend, region_bytes()),
      side_(overlaps() ? backend.make_side_stream() : std::make_unique<SideStream>(backend.exec())),
      ready_(shards_.own().size()),
      next_(ready_) {
  if (has_sum()) {
    sum_ = Tensor(region_, DType::f32, Shape{1, std::max<std::int64_t>(shards_.owned(), 1)});
  }
  if (exchanges(ranks_)) {
    received_ = Tensor(region_, exchange_, Shape{places_ * shards_.size(), received_width()});
  }
  if (rounds_values()) {
    rounded_ =
        Tensor(region_, exchange_, Shape{std::max<std::int64_t>(places_, 1), rounded_width()});
  }
}

bool GradientSum::has_sum() const {
  return exchanges(ranks_) || micro_batches_ > 1 || rounds_values();
}

std::int64_t GradientSum::received_width() const {
  return std::max<std::int64_t>(shards_.largest_own(), 1);
}

std::int64_t GradientSum::rounded_width() const {
  std::int64_t width = std::min(shards_.count(), kAlonePiece);
  for (std::size_t bucket = 0; exchanges(ranks_) && bucket < slices_.front().size(); ++bucket) {
    width = std::max(width, end_of(bucket) - begin_of(bucket));
  }
  return width;
}

std::int64_t GradientSum::region_bytes() const {
  const auto each = static_cast<std::int64_t>(size_of(exchange_));
  const std::int64_t sum = has_sum() ? shards_.owned() : 0;
  const std::int64_t received = places_ * shards_.size() * received_width();
  const std::int64_t rounded =
      rounds_values() ? std::max<std::int64_t>(places_, 1) * rounded_width() : 0;
  return sum * static_cast<std::int64_t>(sizeof(float)) + (received + rounded) * each + 4096;
}

void GradientSum::add(std::int64_t round) {
  round_ = round;
  if (!exchanges(ranks_)) {
    add_alone();
    return;
  }
  ready_ = 0;
  exchange_ready(Wait::yes);
  side_->join();
  ready_ = next_ = shards_.own().size();
  round_ = (round + 1) % rounds();
}

void GradientSum::add_alone() {
  const Tensor gradients = parameters_.gradients();
  if (!rounds_values()) {
    if (sum_) {
      add_part(gradients, 0, round_ == 0);
    }
    return;
  }
  for (std::int64_t begin = 0; begin < shards_.count(); begin += kAlonePiece) {
    const std::int64_t count = std::min(kAlonePiece, shards_.count() - begin);
    const Tensor piece = rounded_.columns(0, count);
    backend_.kernels().round_bf16({.x = gradients.columns(begin, count).view(), .y = piece.view()},
                                  side_->exec());
    add_part(piece, begin, round_ == 0);
  }
}

void GradientSum::add_part(const Tensor& gradients, std::int64_t packed, bool is_first) {
  const View sum = sum_.columns(packed, gradients.cols()).view();
  backend_.kernels().add(
      {.a = is_first ? gradients.view() : sum, .b = is_first ? View{} : gradients.view(), .y = sum},
      side_->exec());
}

bool GradientSum::overlaps() const {
  return exchanges(ranks_) && (ranks_->devices() != nullptr || backend_.on_host());
}

void GradientSum::advance(std::int64_t final_from) {
  while (ready_ > 0 && begin_of(ready_ - 1) >= final_from) {
    --ready_;
  }
  exchange_ready(Wait::no);
}

void GradientSum::exchange_ready(Wait wait) {
  const auto arrived = [&](const Bucket& bucket) {
    if (bucket.exchange != nullptr && wait == Wait::yes) {
      bucket.exchange->wait();
    }
    return bucket.exchange == nullptr || bucket.exchange->done();
  };
  for (;;) {
    if (next_ > ready_ && static_cast<std::int64_t>(under_way_.size()) < places_) {
      start(--next_);
    } else if (!under_way_.empty() && arrived(under_way_.front())) {
      add_received(under_way_.front());
      under_way_.pop_front();
    } else {
      return;
    }
  }
}

int GradientSum::present() const {
  return static_cast<int>(
      std::min<std::int64_t>(shards_.size(), micro_batches_ - round_ * shards_.size()));
}

Tensor GradientSum::outgoing(const Bucket& bucket, const Shards::Slice& slice) const {
  return rounds_values() ? rounded_.row_range(bucket.place, 1)
                               .columns(slice.begin - begin_of(bucket.number), slice.count())
                         : parameters_.gradients().columns(slice.begin, slice.count());
}

Tensor GradientSum::incoming(const Bucket& bucket, int rank) const {
  return received_.row_range(bucket.place * shards_.size() + rank, 1)
      .columns(0, shards_.own()[bucket.number].count());
}

void GradientSum::start(std::size_t number) {
  Bucket bucket{.number = number, .place = started_++ % places_};
  side_->follow();
  const bool sends_own = shards_.rank() < present();
  if (sends_own && rounds_values()) {
    const Shards::Slice whole{begin_of(number), end_of(number), 0};
    backend_.kernels().round_bf16(
        {.x = parameters_.gradients().columns(whole.begin, whole.count()).view(),
         .y = outgoing(bucket, whole).view()},
        side_->exec());
  }
  const auto message = [&](int rank, const Tensor& part) {
    return Message{rank, part.raw(),
                   part.elements() * static_cast<std::int64_t>(size_of(exchange_))};
  };
  sends_.clear();
  receives_.clear();
  for (int rank = 0; rank < shards_.size(); ++rank) {
    if (rank == shards_.rank() && shards_.size() > 1) {
      continue;
    }
    if (sends_own) {
      const Shards::Slice& theirs = slices_[static_cast<std::size_t>(rank)][number];
      sends_.push_back(message(rank, outgoing(bucket, theirs)));
    }
    if (rank < present()) {
      receives_.push_back(message(rank, incoming(bucket, rank)));
    }
  }
  bucket.exchange = start_exchange(*ranks_, backend_, side_->exec(), sends_, receives_);
  under_way_.push_back(std::move(bucket));
}

void GradientSum::add_received(const Bucket& bucket) {
  const Shards::Slice& own = shards_.own()[bucket.number];
  for (int rank = 0; rank < present() && own.count() > 0; ++rank) {
    const bool is_own = rank == shards_.rank() && shards_.size() > 1;
    add_part(is_own ? outgoing(bucket, own) : incoming(bucket, rank), own.packed,
             round_ == 0 && rank == 0);
  }
}

}  // namespace yona
