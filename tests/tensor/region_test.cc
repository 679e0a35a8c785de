#include "yona/tensor/region.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

class RegionTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kBlock = 1024;
  static constexpr std::int64_t kTaken = kBlock + 64;  // with the gap behind it
  Backend& backend = shared_backend("reference");
};

TEST_F(RegionTest, HandsOutAlignedBlocksThatDoNotOverlap) {
  Region region(backend, 1 << 20);
  std::vector<StoragePtr> storages;
  for (const std::int64_t bytes : {1, 64, 65, 0, 1000, 3}) {
    storages.push_back(region.allocate(bytes));
    EXPECT_EQ(storages.back()->bytes, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(storages.back()->data) % 64, 0U);
  }
  for (std::size_t i = 1; i < storages.size(); ++i) {
    EXPECT_GE(static_cast<char*>(storages[i]->data),
              static_cast<char*>(storages[i - 1]->data) + storages[i - 1]->bytes);
  }
}

TEST_F(RegionTest, GivesABlockAgainAsSoonAsItsLastTensorIsGone) {
  Region region(backend, 1 << 20);
  StoragePtr first = region.allocate(kBlock);
  void* const place = first->data;
  {
    const StoragePtr copy = first;
    first = StoragePtr();
    EXPECT_NE(region.allocate(kBlock)->data, place);  // the copy still holds it
  }
  EXPECT_EQ(region.in_use(), 0);
  EXPECT_EQ(region.allocate(kBlock)->data, place);
}

TEST_F(RegionTest, CountsWhatIsInUseAndTheHighestAddress) {
  Region region(backend, 1 << 20);
  EXPECT_EQ(region.peak(), 0);
  {
    const StoragePtr a = region.allocate(kBlock);
    const StoragePtr b = region.allocate(kBlock);
    EXPECT_EQ(region.in_use(), 2 * kTaken);
  }
  EXPECT_EQ(region.in_use(), 0);
  EXPECT_EQ(region.peak(), 2 * kTaken);
  const StoragePtr c = region.allocate(kBlock);
  EXPECT_EQ(region.peak(), 2 * kTaken);
}

TEST_F(RegionTest, MergesNeighboursInWhateverOrderTheyAreFreed) {
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  do {
    Region region(backend, 4 * kTaken);
    std::array<StoragePtr, 4> blocks;
    for (StoragePtr& block : blocks) {
      block = region.allocate(kBlock);
    }
    for (const std::size_t index : order) {
      blocks[index] = StoragePtr();
    }
    EXPECT_EQ(region.in_use(), 0);
    EXPECT_NO_THROW(region.allocate(4 * kTaken - 64));  // all of it, in one piece
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(RegionTest, FillsHolesBeforeItGrows) {
  Region region(backend, 1 << 20);
  const StoragePtr a = region.allocate(kBlock);
  StoragePtr hole = region.allocate(kBlock);
  const StoragePtr b = region.allocate(kBlock);
  void* const place = hole->data;
  hole = StoragePtr();
  const StoragePtr small = region.allocate(kBlock / 4);
  EXPECT_EQ(small->data, place);
  const StoragePtr large = region.allocate(kBlock);  // the rest of the hole is too small
  EXPECT_GT(large->data, b->data);
}

TEST_F(RegionTest, FreesAGradientWithItsStorage) {
  Region region(backend, 1 << 20);
  StoragePtr storage = region.allocate(kBlock);
  storage->gradient = region.allocate(kBlock);
  storage->requires_gradient = true;
  storage = StoragePtr();
  EXPECT_EQ(region.in_use(), 0);
  for (int i = 0; i < 2; ++i) {  // whichever of the two is handed out again is clean
    storage = region.allocate(kBlock);
    EXPECT_FALSE(storage->gradient);
    EXPECT_FALSE(storage->requires_gradient);
  }
}

TEST_F(RegionTest, GivesTheMemoryOfDiscardedValuesAwayOnce) {
  Region region(backend, 1 << 20);
  StoragePtr first = region.allocate(kBlock);
  const void* place = first->data;
  first->gradient = region.allocate(kBlock);
  region.discard(*first);
  region.discard(*first);
  EXPECT_EQ(region.in_use(), kTaken);  // the gradient stays
  const StoragePtr second = region.allocate(kBlock);
  EXPECT_EQ(second->data, place);
  EXPECT_FALSE(second->discarded);
  first = StoragePtr();
  EXPECT_EQ(region.in_use(), kTaken);  // and the second is not given back with the first
  EXPECT_NE(region.allocate(kBlock)->data, place);
}

TEST_F(RegionTest, SurvivesAssigningAStorageToItself) {
  Region region(backend, 1 << 20);
  StoragePtr storage = region.allocate(kBlock);
  const StoragePtr& same = storage;
  storage = same;
  EXPECT_EQ(region.in_use(), kTaken);
  StoragePtr moved = std::move(storage);
  EXPECT_EQ(region.in_use(), kTaken);
  moved = StoragePtr();
  EXPECT_EQ(region.in_use(), 0);
}

TEST_F(RegionTest, SaysWhatDoesNotFit) {
  Region region(backend, 2'000'000'000);
  const StoragePtr most = region.allocate(1'500'000'000);
  const std::string message = message_of<DeviceError>([&] { region.allocate(1'000'000'000); });
  EXPECT_TRUE(
      message.starts_with("cpu: out of memory: a tensor of 1.0 GB does not fit, 1.5 GB of "
                          "2.0 GB are in use"))
      << message;
  EXPECT_NO_THROW(region.allocate(400'000'000));  // what fits still does
}

TEST_F(RegionTest, ReturnsToTheSameAddressesStepAfterStep) {
  Region region(backend, 1 << 20);
  const auto step = [&] {
    std::vector<void*> places;
    std::vector<StoragePtr> kept;
    for (std::int64_t i = 0; i < 20; ++i) {
      kept.push_back(region.allocate(100 * i));
      const StoragePtr passing = region.allocate(3000 - 100 * i);
      places.push_back(kept.back()->data);
      places.push_back(passing->data);
      if (i % 3 == 0) {
        kept.erase(kept.begin());
      }
    }
    return places;
  };
  const std::vector<void*> first = step();
  const std::int64_t peak = region.peak();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(step(), first);
    EXPECT_EQ(region.peak(), peak);
    EXPECT_EQ(region.in_use(), 0);
  }
}

TEST_F(RegionTest, TakesAllMemoryOfTheDeviceUnlessTold) {
  Region region(backend);
  EXPECT_NO_THROW(region.allocate(backend.memory_bytes() - 64));
  EXPECT_THROW(region.allocate(backend.memory_bytes()), DeviceError);
}

}  // namespace
}  // namespace yona::testing
