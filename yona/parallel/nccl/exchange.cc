// Messages between GPUs over NCCL: libyona_nccl.so, the only part of yona that includes <nccl.h>.
// NCCL only moves bytes here, by grouped sends and receives: owners add what comes in the order of
// ranks (train/gradient_sum.h), so that results do not depend on its algorithms.

#include <cstring>
#include <cuda_runtime.h>
#include <nccl.h>
#include <string>

#include "yona/base/error.h"
#include "yona/parallel/collectives.h"
#include "yona/parallel/communicator.h"

namespace yona {

namespace {

void check_nccl(ncclResult_t status, const char* operation) {
  check<DeviceError>(status == ncclSuccess, "nccl: {} failed: {}", operation,
                     ncclGetErrorString(status));
}

class NcclExchange : public DeviceExchange {
 public:
  explicit NcclExchange(Communicator& ranks) {
    ncclUniqueId id{};
    std::string text(sizeof(id), '\0');
    if (ranks.rank() == 0) {
      check_nccl(ncclGetUniqueId(&id), "the start of a group");
      std::memcpy(text.data(), &id, sizeof(id));
    }
    text = broadcast_text(ranks, text);
    std::memcpy(&id, text.data(), sizeof(id));
    check<DeviceError>(cudaSetDevice(0) == cudaSuccess, "nccl: the rank's GPU cannot be used");
    check_nccl(ncclCommInitRank(&group_, ranks.size(), id, ranks.rank()), "joining the ranks");
  }
  ~NcclExchange() override { ncclCommDestroy(group_); }
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;

  void exchange(std::span<const Message> sends, std::span<const Message> receives,
                void* stream) override {
    auto* const on = static_cast<cudaStream_t>(stream);
    check_nccl(ncclGroupStart(), "an exchange");
    for (const Message& message : sends) {
      if (message.bytes > 0) {
        check_nccl(ncclSend(message.data, static_cast<std::size_t>(message.bytes), ncclUint8,
                            message.rank, group_, on),
                   "a send");
      }
    }
    for (const Message& message : receives) {
      if (message.bytes > 0) {
        check_nccl(ncclRecv(message.data, static_cast<std::size_t>(message.bytes), ncclUint8,
                            message.rank, group_, on),
                   "a receive");
      }
    }
    check_nccl(ncclGroupEnd(), "an exchange");
  }

 private:
  ncclComm_t group_ = nullptr;
};

}  // namespace

}  // namespace yona

extern "C" yona::DeviceExchange* yona_make_nccl_exchange(yona::Communicator& ranks);
extern "C" yona::DeviceExchange* yona_make_nccl_exchange(yona::Communicator& ranks) {
  return new yona::NcclExchange(ranks);
}
