// The SIMD decisions of dropout-inl.h are those of dropout.h, bit for bit, on every instruction
// set.

#include <array>

#include <gtest/gtest.h>

#include "yona/backend/cpu/features.h"
#include "yona/backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/backend/cpu/dropout_inl_test.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/dropout-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {

void group_bits(const Dropout& dropout, std::uint64_t row_key, std::uint32_t group,
                std::uint8_t* bits) {
  dropout_group_bits(dropout, row_key, group, bits);
}

void weight_bits(const Dropout& dropout, std::uint64_t query_key, std::int64_t first,
                 std::uint32_t part, std::uint8_t* bytes) {
  dropout_weight_bits(dropout, query_key, first, part, bytes);
}

// Expands bits into one float per channel through keep_mask, as kernels do.
void expand(const std::uint8_t* bits, float* keeps) {
  const hn::CappedTag<float, 16> d;
  for (std::int64_t j = 0; j < 128; j += static_cast<std::int64_t>(hn::Lanes(d))) {
    hn::StoreU(hn::IfThenElseZero(keep_mask(d, bits, j), hn::Set(d, 1.0F)), d, keeps + j);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(group_bits);
HWY_EXPORT(weight_bits);
HWY_EXPORT(expand);

namespace {

const std::array<Dropout, 4> kDropouts = {
    Dropout::with(0.3, 0x123456789ABCDEF0U, 7), Dropout::with(0.1, 0, 0xFFFFFFFFU),
    Dropout::with(0.0001, ~std::uint64_t{0}, 3), Dropout::with(0.9999, 42, 1)};
const std::array<std::uint64_t, 3> kRowKeys = {0, 0xFEDCBA9876543210U, ~std::uint64_t{0}};

class DropoutBits : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { use_isa(GetParam()); }
  void TearDown() override { use_isa(available_isas().back()); }
};

TEST_P(DropoutBits, OfChannelsAreThoseOfTheScalarFunction) {
  for (const Dropout& dropout : kDropouts) {
    for (const std::uint64_t row_key : kRowKeys) {
      for (const std::uint32_t group : {0U, 1U, 7U, 1000U}) {
        std::array<std::uint8_t, 24> bits{};
        std::array<float, 128> expanded{};
        HWY_DYNAMIC_DISPATCH(group_bits)(dropout, row_key, group, bits.data());
        HWY_DYNAMIC_DISPATCH(expand)(bits.data(), expanded.data());
        for (std::size_t i = 0; i < 128; ++i) {
          const bool kept = keeps(dropout, row_key, group * 128 + static_cast<std::int64_t>(i));
          ASSERT_EQ(((bits[i / 8] >> (i % 8)) & 1) != 0, kept) << "channel " << i;
          ASSERT_EQ(expanded[i] != 0, kept) << "channel " << i;
        }
      }
    }
  }
}

TEST_P(DropoutBits, OfAttentionWeightsAreThoseOfTheScalarFunction) {
  for (const Dropout& dropout : kDropouts) {
    for (const std::uint64_t query_key : kRowKeys) {
      for (const std::int64_t first : {0, 16, 5, 16368}) {
        for (const std::uint32_t part : {0U, 1U, 3U}) {
          std::array<std::uint8_t, 16> bytes{};
          HWY_DYNAMIC_DISPATCH(weight_bits)(dropout, query_key, first, part, bytes.data());
          for (std::size_t i = 0; i < 16; ++i) {
            for (std::int64_t head = 0; head < 8; ++head) {
              ASSERT_EQ(((bytes[i] >> head) & 1) != 0,
                        keeps_weight(dropout, query_key, first + static_cast<std::int64_t>(i),
                                     8 * part + head))
                  << "key position " << i << ", head " << head;
            }
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, DropoutBits, testing::ValuesIn(available_isas()),
                         [](const auto& each) { return std::string(name_of(each.param)); });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
