#include "yona/io/weight_copy.h"

#include <array>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/backend/backend.h"
#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::yona::testing::message_of;

TEST(WeightCopy, WidensHalfPrecisionExactly) {
  // 1, -2, largest, smallest normal, smallest subnormal, -0, infinity
  const std::array<std::uint16_t, 7> words = {0x3C00, 0xC000, 0x7BFF, 0x0400,
                                              0x0001, 0x8000, 0x7C00};
  const std::vector<float> values = floats_of({"w", DType::f16, {7}, words.data()});
  EXPECT_THAT(values, ElementsAre(1.0F, -2.0F, 65504.0F, 0x1p-14F, 0x1p-24F, -0.0F,
                                  std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(std::signbit(values[5]));
  EXPECT_TRUE(std::isnan(from_f16(0x7E00)));
}

TEST(WeightCopy, WidensBf16AndCopiesF32) {
  const std::array<std::uint16_t, 2> words = {to_bf16(1.5F), to_bf16(-3.0F)};
  EXPECT_THAT(floats_of({"w", DType::bf16, {2}, words.data()}), ElementsAre(1.5F, -3.0F));
  const auto backend = make_backend("cpu");
  Region region(*backend);
  const Tensor to(region, DType::f32, Shape{2});
  copy_weights(to, {"w", DType::bf16, {2}, words.data()});
  EXPECT_THAT(to.to_vector<float>(), ElementsAre(1.5F, -3.0F));
  const std::array<float, 2> floats = {0.25F, 7.0F};
  copy_weights(to, {"w", DType::f32, {2}, floats.data()});
  EXPECT_THAT(to.to_vector<float>(), ElementsAre(0.25F, 7.0F));
}

TEST(WeightCopy, NamesATensorOfAnotherType) {
  const std::array<std::int8_t, 2> words = {1, 2};
  EXPECT_EQ(message_of<FormatError>([&] {
              floats_of({"w", DType::i8, {2}, words.data()});
            }),
            "tensor 'w' is i8; weights are read in f32, f16 and bf16");
  const testing::TempDir dir;
  write_safetensors(dir / "a.safetensors",
                    std::vector<NamedArray>{{"w", DType::i8, {2}, words.data()}});
  const SafetensorsFile file(dir / "a.safetensors", ReadWhen::late);
  EXPECT_EQ(message_of<FormatError>([&] { floats_of(*file.find("w")); }),
            (dir / "a.safetensors").string() +
                ": tensor 'w' is i8; weights are read in f32, f16 and bf16");
}

}  // namespace
}  // namespace yona
