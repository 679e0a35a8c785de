// Attention by cuDNN 9's fused kernels, in bf16, without dropout. It is a separate library,
// libyona_cudnn.so, which the GPU backend opens when it needs one of these kernels.
//
// Backward writes dS = P ∘ (dP − D) to the workspace and multiplies it afterwards, so that no sum
// depends on timing.
#pragma once

#include <compare>
#include <cstdint>
#include <cuda_runtime.h>
#include <optional>

namespace yona::cudnn {

enum class Pass { forward, backward };

// What a plan is made for. Rows of sequences that follow each other; strides are between rows, in
// elements.
struct AttentionShape {
  std::int64_t sequences = 0;
  std::int64_t queries = 0;  // of a sequence; the most, if they differ
  std::int64_t keys = 0;
  std::int64_t heads = 1, kv_heads = 1;
  std::int64_t channels = 0;  // of a head
  bool causal = false;        // query i sees keys up to i
  bool ragged = false;        // lengths differ, and are given in AttentionMemory
  std::int64_t q = 0, k = 0, v = 0, out = 0, lse = 0;  // strides
  std::int64_t dout = 0, dq = 0, dk = 0, dv = 0;       // of the backward pass
  auto operator<=>(const AttentionShape&) const = default;
};

// Addresses on the device.
struct AttentionMemory {
  void *q = nullptr, *k = nullptr, *v = nullptr, *out = nullptr, *lse = nullptr;
  void *dout = nullptr, *dq = nullptr, *dk = nullptr, *dv = nullptr;
  // Of ragged sequences: i32 lengths, and i64 offsets of their first elements, one more than there
  // are sequences, in each tensor. Tensors with the same stride may share them.
  void *q_lengths = nullptr, *k_lengths = nullptr;
  void *q_offsets = nullptr, *k_offsets = nullptr, *v_offsets = nullptr, *out_offsets = nullptr;
  void* lse_offsets = nullptr;
  void *dout_offsets = nullptr, *dq_offsets = nullptr, *dk_offsets = nullptr;
  void* dv_offsets = nullptr;
  void* workspace = nullptr;
};

class Attention {
 public:
  virtual ~Attention() = default;
  Attention() = default;
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;

  // cuDNN's version, as 91900.
  virtual std::int64_t version() const = 0;
  // How much workspace a pass needs; nothing if cuDNN has no kernel for the shape that always
  // gives the same bits. The first call for a shape makes its plan, which takes a moment.
  virtual std::optional<std::int64_t> workspace_bytes(const AttentionShape& shape, Pass pass) = 0;
  // Throws DeviceError. Asynchronous.
  virtual void run(const AttentionShape& shape, Pass pass, const AttentionMemory& memory,
                   float scale, cudaStream_t stream) = 0;
};

}  // namespace yona::cudnn

// Throws DeviceError where cuDNN cannot be used. The caller owns the result.
extern "C" yona::cudnn::Attention* yona_make_cudnn_attention();
