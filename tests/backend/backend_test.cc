#include "yona/backend/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(Backend, IsMadeByName) {
  EXPECT_EQ(make_backend("cpu")->device(), Device::cpu);
  EXPECT_EQ(make_backend("reference")->device(), Device::cpu);
  EXPECT_EQ(make_backend("reference")->exec().backend, "reference");
  EXPECT_EQ(make_backend("meta")->device(), Device::meta);
  EXPECT_EQ(message_of<InvalidArgument>([] { make_backend("gpu"); }),
            "device: 'gpu' is unknown; use cpu or cuda");
}

TEST(Backend, TakesAsManyThreadsAsItIsTold) {
  EXPECT_EQ(make_backend("cpu", {.threads = 1})->exec().pool->threads(), 1);
  EXPECT_EQ(make_backend("cpu")->exec().pool->threads(), available_cpus());
}

TEST(Backend, AnswersForTheHost) {
  for (const char* name : {"cpu", "reference"}) {
    const auto host = make_backend(name);
    EXPECT_TRUE(host->on_host());
    EXPECT_TRUE(host->packs_weights());
    EXPECT_FALSE(host->searches_on_device());
    EXPECT_FALSE(host->rounds_activations());
    EXPECT_FALSE(host->has_f16());
    EXPECT_FALSE(host->wants_even_widths());
    EXPECT_FALSE(host->wants_large_products());
    EXPECT_FALSE(host->fuses_loss(512, DType::bf16));
  }
}

// A dry run has no memory to read and nothing to search with, whatever it plans for.
TEST(Backend, AnswersForTheDeviceThatIsPlannedFor) {
  const auto gpu = make_backend("meta", {.planned = Device::cuda});
  EXPECT_FALSE(gpu->on_host());
  EXPECT_FALSE(gpu->searches_on_device());
  EXPECT_FALSE(gpu->packs_weights());
  EXPECT_TRUE(gpu->rounds_activations());
  EXPECT_TRUE(gpu->has_f16());
  EXPECT_TRUE(gpu->wants_even_widths());
  EXPECT_TRUE(gpu->wants_large_products());
  EXPECT_TRUE(gpu->fuses_loss(512, DType::bf16));
  EXPECT_FALSE(gpu->fuses_loss(512, DType::f32));
  EXPECT_FALSE(gpu->fuses_loss(256, DType::bf16));
  const auto host = make_backend("meta", {.planned = Device::cpu});
  EXPECT_FALSE(host->on_host());
  EXPECT_TRUE(host->packs_weights());
  EXPECT_FALSE(host->rounds_activations());
}

TEST(Backend, CopiesToAndFromItsMemory) {
  for (const char* name : {"cpu", "reference"}) {
    const auto backend = make_backend(name);
    void* memory = backend->reserve(1 << 20);
    const std::vector<int> values{1, 2, 3};
    backend->upload(memory, values.data(), 12);
    std::vector<int> back(3);
    backend->download(back.data(), memory, 12);
    EXPECT_EQ(back, values);
    backend->upload(memory, nullptr, 0);
    backend->release(memory, 1 << 20);
  }
}

TEST(Backend, SaysHowMuchMemoryItCannotReserve) {
  const auto backend = make_backend("cpu");
  EXPECT_THAT(message_of<DeviceError>([&] { backend->reserve(std::int64_t{1} << 60U); }),
              ::testing::EndsWith(" cannot be reserved: Cannot allocate memory"));
}

TEST(Backend, KnowsTheMachinesMemory) {
  const std::int64_t bytes = make_backend("cpu")->memory_bytes();
  EXPECT_GT(bytes, std::int64_t{1} << 27U);
  EXPECT_LT(bytes, std::int64_t{1} << 46U);
}

TEST(Backend, MetaComputesNothingAndReadsZeros) {
  const auto meta = make_backend("meta");
  void* memory = meta->reserve(std::int64_t{1} << 40U);
  const double value = 5.0;
  meta->upload(memory, &value, 8);
  meta->kernels().fill({.y = {memory, 1, 1 << 20, 1 << 20, DType::f32}, .value = 1.0F},
                       meta->exec());
  double back = 7.0;
  meta->download(&back, memory, 8);
  EXPECT_EQ(back, 0.0);
  meta->release(memory, std::int64_t{1} << 40U);
}

// In words of 32 keys, for heads in groups of eight, with a tile of queries more.
TEST(Backend, WantsAttentionsDecisionsKeptWhereItPlansForAGpu) {
  AttentionArgs args{.q = {nullptr, 300, 640, 640, DType::bf16},
                     .longest_q = 100,
                     .longest_k = 130,
                     .heads = 10,
                     .d_k = 64,
                     .d_v = 64,
                     .dropout = Dropout::with(0.1, 1, 2)};
  const auto gpu = make_backend("meta", {.planned = Device::cuda});
  EXPECT_EQ(gpu->keep_mask_bytes(args), 4 * 16 * 5 * 364);
  for (const char* name : {"cpu", "reference", "meta"}) {
    EXPECT_EQ(make_backend(name)->keep_mask_bytes(args), 0);
  }
  args.longest_k = 257;
  EXPECT_EQ(gpu->keep_mask_bytes(args), 0);
  args.longest_k = 40;
  args.longest_q = 64;
  EXPECT_EQ(gpu->keep_mask_bytes(args), 0);
  args.longest_q = 65;
  EXPECT_EQ(gpu->keep_mask_bytes(args), 4 * 16 * 2 * 364);
  args.dropout = {};
  EXPECT_EQ(gpu->keep_mask_bytes(args), 0);
}

TEST(Backend, NamesAKernelThatItLacks) {
  const Kernels empty;
  Exec exec{.device = Device::cuda, .backend = "cuda"};
  EXPECT_EQ(message_of<NotImplemented>([&] { empty.gelu({}, exec); }),
            "gelu: there is no kernel for it in the cuda backend (device cuda)");
}

TEST(Backend, MeasuresKernelsWhenAsked) {
  const auto backend = make_backend("reference");
  std::vector<float> values(1000);
  const FillArgs args{.y = {values.data(), 1, 1000, 1000, DType::f32}, .value = 2.0F};
  Profile profile;
  backend->exec().profile = &profile;
  backend->kernels().fill(args, backend->exec());
  EXPECT_GT(profile.seconds.at("fill"), 0.0);
  backend->exec().profile = nullptr;
  backend->kernels().fill(args, backend->exec());
  EXPECT_EQ(profile.seconds.size(), 1U);
}

}  // namespace
}  // namespace yona::testing
