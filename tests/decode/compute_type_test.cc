#include "yona/decode/compute_type.h"

#include <gtest/gtest.h>

#include "yona/backend/cpu/features.h"
#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(ChooseComputeType, IsTheFoldersOnACpuUnlessOneIsChosen) {
  const TempDir folder;
  const ComputeType unspecified = choose_compute_type("", "cpu", "x");
  EXPECT_EQ(unspecified.precision, Precision::f32);
  EXPECT_EQ(unspecified.packing_of(folder / ""), Packing::yes);
  EXPECT_EQ(choose_compute_type("f32", "cpu", "x").packing_of(folder / ""), Packing::yes);
  EXPECT_EQ(choose_compute_type("int8", "cpu", "x").packing_of(folder / ""), Packing::int8);
  EXPECT_EQ(choose_compute_type("auto", "cpu", "x").packing_of(folder / ""),
            int8_is_faster() ? Packing::int8 : Packing::yes);
  write_bytes(folder / "model.int8.safetensors", "");
  EXPECT_EQ(unspecified.packing_of(folder / ""), Packing::int8);
}

TEST(ChooseComputeType, FallsBackWhereTheCpuHasNoBf16) {
  const ComputeType type = choose_compute_type("bf16", "cpu", "x");
  EXPECT_EQ(type.precision, cpu_has_bf16() ? Precision::bf16 : Precision::f32);
  EXPECT_EQ(type.packing, cpu_has_bf16() ? Packing::no : Packing::yes);
}

TEST(ChooseComputeType, OfLanguageModelsIsWeightsOfTwoBytesInBf16OnACpu) {
  const ComputeType bf16{.precision = Precision::bf16, .packing = Packing::no};
  EXPECT_EQ(bf16.of_language_model(Device::cpu).packing, Packing::bf16);
  EXPECT_EQ(bf16.of_language_model(Device::cpu).precision, Precision::f32);
  EXPECT_EQ(bf16.of_language_model(Device::cuda).precision, Precision::bf16);
  const ComputeType int8{.packing = Packing::int8};
  EXPECT_EQ(int8.of_language_model(Device::cpu).packing, Packing::int8);
}

TEST(ChooseComputeType, IsBf16OnAGpuUnlessOneIsChosen) {
  EXPECT_EQ(choose_compute_type("", "cuda", "x").precision, Precision::bf16);
  EXPECT_EQ(choose_compute_type("auto", "cuda", "x").precision, Precision::bf16);
  EXPECT_EQ(choose_compute_type("f16", "cuda", "x").precision, Precision::f16);
  EXPECT_EQ(choose_compute_type("f32", "cuda", "x").precision, Precision::f32);
  EXPECT_EQ(choose_compute_type("f32", "cuda", "x").packing_of("any"), Packing::no);
}

TEST(ChooseComputeType, SaysWhatItCannotBe) {
  const auto complaint = [](const char* type, const char* device) {
    return message_of<InvalidArgument>([&] { choose_compute_type(type, device, "compute_type"); });
  };
  EXPECT_EQ(complaint("f16", "cpu"),
            "compute_type: f16 decodes on GPUs alone; use f32, or the device cuda");
  EXPECT_EQ(complaint("int8", "cuda"),
            "compute_type: int8 decodes on CPUs alone; use bf16, or the device cpu");
  EXPECT_EQ(complaint("f8", "cpu"),
            "compute_type: expected one of auto, f32, bf16, f16, int8, got 'f8'");
}

}  // namespace
}  // namespace yona::testing
