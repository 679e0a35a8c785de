// The processes ("ranks") of one run, and how they exchange bytes. Implemented over MPI by
// libyona_mpi.so (parallel/ranks.h opens it); tests have one over threads.
//
// Nothing here adds numbers: sums are made by the caller in the order of ranks, so that results do
// not depend on the algorithm that a library chooses.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace yona {

// Bytes to or from another rank.
struct Message {
  int rank = 0;
  void* data = nullptr;  // only read when it is sent
  std::int64_t bytes = 0;
};

// Messages between the memory of GPUs, in the order of their streams. Implemented over NCCL by
// libyona_nccl.so (parallel/nccl.h opens it).
class DeviceExchange {
 public:
  DeviceExchange() = default;
  virtual ~DeviceExchange() = default;
  DeviceExchange(const DeviceExchange&) = delete;
  DeviceExchange& operator=(const DeviceExchange&) = delete;

  // As Communicator::exchange() of device memory, when the stream (cudaStream_t) reaches it.
  // Returns before that. A message may be to the rank itself.
  virtual void exchange(std::span<const Message> sends, std::span<const Message> receives,
                        void* stream) = 0;
};

// An exchange under way. Its messages must stay where they are until it is done. Exchanges are done
// in the order in which they were started; ask and wait in that order.
class PendingExchange {
 public:
  PendingExchange() = default;
  virtual ~PendingExchange() = default;
  PendingExchange(const PendingExchange&) = delete;
  PendingExchange& operator=(const PendingExchange&) = delete;

  // Moves what can be moved now, and says whether that was all.
  virtual bool done() = 0;
  virtual void wait() = 0;
};

class Communicator {
 public:
  Communicator() = default;
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Sends and receives, returning when all are done. Two ranks must agree on the messages between
  // them and on their order; none is to the rank itself, and those without bytes are left out.
  virtual void exchange(std::span<const Message> sends, std::span<const Message> receives) = 0;
  // The same, returning at once. Bytes may move only while some call of the communicator or of the
  // exchange runs.
  virtual std::unique_ptr<PendingExchange> start(std::span<const Message> sends,
                                                 std::span<const Message> receives) = 0;
  // The same number of bytes of every rank, in the order of ranks. Called by all.
  virtual void all_gather(const void* mine, void* all, std::int64_t bytes) = 0;

  // Between GPUs; nullptr: through the host.
  DeviceExchange* devices() const { return devices_.get(); }
  void use(std::unique_ptr<DeviceExchange> devices) { devices_ = std::move(devices); }

  // Ends all ranks with this exit code, and prints the line once, with this rank's number.
  [[noreturn]] virtual void abort(int code, const std::string& line) = 0;

 protected:
  std::unique_ptr<DeviceExchange> devices_;
};

}  // namespace yona
