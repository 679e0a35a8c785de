// A backend: a table of kernels, the memory they work on, and where they run.
//
// `reference` (plain loops, the meaning), `cpu` (oneDNN and SIMD; falls back to the reference),
// `meta` (computes nothing: plans memory) are in this library; `cuda` is libyona_cuda.so, opened
// only when asked for. Ops and models see this class alone, so a backend is added without touching
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "yona/backend/kernels.h"
#include "yona/backend/replay.h"
#include "yona/backend/side_stream.h"

namespace yona {

class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  virtual Device device() const = 0;
  // The device whose habits count: that of a dry run is the one that is planned for.
  virtual Device planned_device() const { return device(); }
  virtual const Kernels& kernels() const = 0;
  virtual Exec& exec() = 0;

  // What the code above asks of a device, instead of its name. A dry run answers for the device
  // that it plans for, but where memory is and who searches is about the run itself.
  //
  // May the host read and write the memory of tensors?
  bool on_host() const { return device() == Device::cpu; }
  // Can a search stay on the device, without the host waiting for each step?
  bool searches_on_device() const { return device() == Device::cuda; }
  // Are weights worth packing into panels, outputs worth a shortlist?
  bool packs_weights() const { return planned_device() == Device::cpu; }
  // Are activations kept in the type that operands of products are rounded to?
  bool rounds_activations() const { return planned_device() == Device::cuda; }
  // Are there products in f16?
  bool has_f16() const { return planned_device() == Device::cuda; }
  // Are products of odd width slow, so that one more column pays?
  bool wants_even_widths() const { return planned_device() == Device::cuda; }
  // Does a product need thousands of rows to keep the device busy?
  bool wants_large_products() const { return planned_device() == Device::cuda; }
  // Does attention keep more memory for longer sentences (attention_decisions.h)?
  bool keeps_attention_decisions() const { return planned_device() == Device::cuda; }
  // May a fused kernel be better than the parts of a loss over states of this width and type?
  bool fuses_loss(std::int64_t width, DType states) const {
    return planned_device() == Device::cuda && states == DType::bf16 && is_vocabulary_width(width);
  }

  // Address space for `bytes`, zeroed where the system does that for free; pages need not be
  // backed before they are touched. Throws DeviceError naming the size. release() gives it back.
  virtual void* reserve(std::int64_t bytes) = 0;
  virtual void release(void* memory, std::int64_t bytes) noexcept = 0;
  // Makes the first `bytes` of reserved memory usable, where the system does not do that by itself
  // on first touch. Called with growing sizes while a region's peak grows, never in steady state.
  virtual void commit(void* /*memory*/, std::int64_t /*bytes*/) {}
  // Are bf16 products faster here than f32? If not, runs that ask for bf16 use f32 and say so.
  virtual bool has_bf16() const = 0;
  // How many tiles of weights' gradients are computed at a time here, by a kernel that has those of
  // many weights in one launch (tensor/weight_gradients.h): 0 where each is a product of its own.
  virtual std::int64_t weight_gradient_tiles() const { return 0; }
  // How much memory the forward pass of this attention should be given for dropout's decisions: 0
  // where its backward makes them again.
  virtual std::int64_t keep_mask_bytes(const AttentionArgs& /*args*/) const { return 0; }
  // Memory that the device has (the container's limit counts).
  virtual std::int64_t memory_bytes() const = 0;

  // Host to device and back. Uploads may return before they are done; downloads do not.
  virtual void upload(void* to, const void* from, std::int64_t bytes) = 0;
  virtual void download(void* to, const void* from, std::int64_t bytes) = 0;
  virtual void synchronize() = 0;

  // Around a backward pass: between the two, sums over rows that go to gradients of parameters may
  // wait for each other. A pass that fails is abandoned: what waits is forgotten.
  virtual void begin_backward() {}
  virtual void end_backward() {}
  virtual void abandon_backward() {}

  // Work beside this one's: see side_stream.h. The backend must outlive it.
  virtual std::unique_ptr<SideStream> make_side_stream() {
    return std::make_unique<SideStream>(exec());
  }

  // Decoding without waiting: see replay.h.
  virtual std::unique_ptr<Replay> make_replay() { return std::make_unique<Replay>(); }
  virtual std::unique_ptr<Readback> make_readback() { return std::make_unique<Readback>(); }

  // What was chosen by measuring and results depend on, as text (choices.h): empty where nothing
  // was. Kept with a checkpoint, and taken back before the first step of a resumed run; false, with
  // nothing taken, for the text of another machine.
  virtual std::string choices() { return {}; }
  virtual bool take_choices(std::string_view /*text*/) { return false; }

  // What measures kernels here, for exec().profile.
  virtual std::unique_ptr<Profile> make_profile() { return std::make_unique<Profile>(); }
};

struct BackendOptions {
  int threads = 0;               // 0: all that the process may use
  Device planned = Device::cpu;  // of "meta": the device that is planned for
  int first_cpu = -1;            // where the threads are pinned, from there on; -1: they are not
  bool measure = false;          // worth timing algorithms: a long run
};

// name: "cpu", "cuda", "reference" or "meta". Throws InvalidArgument for others, DeviceError with
// one clear line where the device cannot be used.
std::unique_ptr<Backend> make_backend(std::string_view name, BackendOptions options = {});

}  // namespace yona
