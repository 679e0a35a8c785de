// Any bytes given as the weights of a folder, in f32 (model.safetensors) and in int8
// (model.int8.safetensors): a model with every weight, or FormatError. The same bytes as the index
// of shards.

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/io/int8_weights_file.h"
#include "yona/io/safetensors_folder.h"
#include "yona/nn/module.h"
#include "yona/nn/parameters.h"

#include "tests/fuzz/memory_file.h"

namespace {

// Two matrices, of which the first is two parameters, and a vector.
class Pieces : public yona::Module {
 public:
  Pieces() {
    query_.shape = {3, 6};
    key_.shape = {5, 6};
    inner_.shape = {7, 6};
    bias_.shape = {7};
    add("query.weight", query_);
    add("key.weight", key_);
    add("inner.weight", inner_);
    add("inner.bias", bias_);
  }

 private:
  yona::Parameter query_, key_, inner_, bias_;
};

// Reads every byte that a view lays claim to.
void touch(const void* bytes, std::size_t size) {
  unsigned sum = 0;
  for (std::size_t at = 0; at < size; ++at) {
    sum += static_cast<const unsigned char*>(bytes)[at];
  }
  asm volatile("" : : "r"(sum));
}

void touch(const yona::NamedArray& array) {
  std::string bytes(array.bytes(), 0);
  array.copy(0, bytes.size(), bytes.data());
  touch(bytes.data(), bytes.size());
}

void read_as_f32(const std::filesystem::path& folder) {
  const yona::SafetensorsFolder weights(folder);
  for (const std::string& name : weights.names()) {
    const auto array = weights.find(name);
    touch(*array);
  }
}

void read_as_int8(const std::filesystem::path& folder) {
  static const auto backend = yona::make_backend("cpu", {.threads = 1});
  static Pieces pieces;
  static const yona::Parameters parameters(pieces, *backend, yona::Gradients::no);
  const yona::Int8WeightsFile file(folder, parameters);
  yona::QuantisedWeights weights(parameters.weights());
  file.add_to(weights);
  for (const auto& [offset, matrix] : weights.matrices()) {
    for (const yona::View* view :
         {&matrix.weights.values, &matrix.weights.scales, &matrix.weights.sums}) {
      touch(view->data, static_cast<std::size_t>(view->rows * view->cols) * size_of(view->dtype));
    }
  }
}

void read(void (*reader)(const std::filesystem::path&), const std::filesystem::path& folder) {
  try {
    reader(folder);
  } catch (const yona::FormatError&) {  // the other allowed answer
  } catch (const yona::IoError&) {      // a shard that is not there
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yona::testing::MemoryFolder whole({"model.safetensors", yona::kInt8File});
  static yona::testing::MemoryFolder sharded({"model.safetensors.index.json", "a.safetensors"});
  whole.set(data, size);
  sharded.set(data, size);
  read(read_as_f32, whole.path());
  read(read_as_int8, whole.path());
  read(read_as_f32, sharded.path());
  return 0;
}
