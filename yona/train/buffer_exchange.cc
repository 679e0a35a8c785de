#include "yona/train/buffer_exchange.h"

#include <algorithm>
#include <cstddef>

namespace yona {

namespace {

Message message_of(int rank, float* first, const Shards::Slice& slice) {
  return {rank, first, slice.count() * static_cast<std::int64_t>(sizeof(float))};
}

using Staging = std::vector<std::vector<std::byte>>;

Staging staging_for(std::span<const Message> messages) {
  Staging buffers;
  for (const Message& message : messages) {
    buffers.emplace_back(static_cast<std::size_t>(message.bytes));
  }
  return buffers;
}

std::vector<Message> through(Staging& buffers, std::span<const Message> messages) {
  std::vector<Message> staged(messages.begin(), messages.end());
  for (std::size_t i = 0; i < staged.size(); ++i) {
    staged[i].data = buffers[i].data();
  }
  return staged;
}

}  // namespace

std::unique_ptr<PendingExchange> start_exchange(Communicator& ranks, Backend& backend, Exec& exec,
                                                std::span<const Message> sends,
                                                std::span<const Message> receives) {
  if (DeviceExchange* devices = ranks.devices()) {
    devices->exchange(sends, receives, exec.stream);
    return nullptr;
  }
  if (backend.on_host()) {
    return ranks.start(sends, receives);
  }
  Staging sent = staging_for(sends);
  Staging received = staging_for(receives);
  for (std::size_t i = 0; i < sends.size(); ++i) {
    backend.download(sent[i].data(), sends[i].data, sends[i].bytes);
  }
  ranks.exchange(through(sent, sends), through(received, receives));
  for (std::size_t i = 0; i < receives.size(); ++i) {
    backend.upload(receives[i].data, received[i].data(), receives[i].bytes);
  }
  backend.synchronize();  // before the buffers are gone
  return nullptr;
}

void share_slices(Communicator& ranks, Backend& backend, const Shards& shards, const Tensor& flat) {
  auto* values = flat.data<float>();
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (int rank = 0; rank < shards.size(); ++rank) {
    if (rank == shards.rank()) {
      continue;
    }
    for (const Shards::Slice& slice : shards.own()) {
      sends.push_back(message_of(rank, values + slice.begin, slice));
    }
    for (const Shards::Slice& slice : shards.slices(rank)) {
      receives.push_back(message_of(rank, values + slice.begin, slice));
    }
  }
  if (const auto pending = start_exchange(ranks, backend, backend.exec(), sends, receives)) {
    pending->wait();
  }
}

std::vector<float> collect_slices(Communicator& ranks, const Shards& shards,
                                  std::vector<float>& own) {
  if (ranks.rank() > 0) {
    const Message all{0, own.data(), static_cast<std::int64_t>(own.size() * sizeof(float))};
    ranks.exchange(std::span(&all, 1), {});
    return {};
  }
  std::vector<float> values(static_cast<std::size_t>(shards.count()));
  for (const Shards::Slice& slice : shards.own()) {
    std::copy_n(own.data() + slice.packed, slice.count(), values.data() + slice.begin);
  }
  for (int rank = 1; rank < shards.size(); ++rank) {
    const Shards theirs(shards.count(), rank, shards.size());
    own.resize(static_cast<std::size_t>(theirs.owned()));
    const Message all{rank, own.data(), theirs.owned() * static_cast<std::int64_t>(sizeof(float))};
    ranks.exchange({}, std::span(&all, 1));
    for (const Shards::Slice& slice : theirs.own()) {
      std::copy_n(own.data() + slice.packed, slice.count(), values.data() + slice.begin);
    }
  }
  return values;
}

}  // namespace yona
