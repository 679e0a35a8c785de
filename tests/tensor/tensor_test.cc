#include "yona/tensor/tensor.h"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

class TensorTest : public ::testing::Test {
 protected:
  Tensor counted(const Shape& shape) {
    std::vector<float> values(static_cast<std::size_t>(shape.elements()));
    std::iota(values.begin(), values.end(), 0.0F);
    Tensor tensor(region, DType::f32, shape);
    tensor.upload(values);
    return tensor;
  }
  template <class F>
  std::string message(const F& call) {
    return message_of<InvalidArgument>(call);
  }

  Region region{shared_backend("reference"), 1 << 20};
};

using Floats = std::vector<float>;

TEST_F(TensorTest, IsEmptyUntilMade) {
  const Tensor empty;
  EXPECT_FALSE(empty);
  EXPECT_FALSE(empty.requires_gradient());
  EXPECT_FALSE(empty.gradient());
  EXPECT_EQ(empty.raw(), nullptr);
}

TEST_F(TensorTest, KnowsRowsAndColumnsOfEveryRank) {
  EXPECT_EQ(counted({5}).rows(), 1);
  EXPECT_EQ(counted({5}).cols(), 5);
  EXPECT_EQ(counted({2, 3, 4}).rows(), 6);
  EXPECT_EQ(counted({2, 3, 4}).cols(), 4);
  EXPECT_EQ(counted({0, 4}).elements(), 0);
  EXPECT_EQ(counted({}).elements(), 1);
}

TEST_F(TensorTest, CutsColumnsAndRowsWithoutCopying) {
  const Tensor x = counted({3, 4});
  const Tensor middle = x.columns(1, 2);
  EXPECT_EQ(middle.to_vector<float>(), (Floats{1, 2, 5, 6, 9, 10}));
  EXPECT_FALSE(middle.contiguous());
  EXPECT_EQ(middle.columns(1, 1).to_vector<float>(), (Floats{2, 6, 10}));
  EXPECT_EQ(x.row_range(1, 2).to_vector<float>(), (Floats{4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(middle.row_range(2, 1).to_vector<float>(), (Floats{9, 10}));
  EXPECT_TRUE(middle.row_range(2, 1).contiguous());
  EXPECT_EQ(x.columns(4, 0).elements(), 0);
  EXPECT_EQ(x.row_range(3, 0).to_vector<float>(), Floats{});
  x.data<float>()[6] = 60;
  EXPECT_EQ(middle.to_vector<float>()[3], 60);
}

TEST_F(TensorTest, ReshapesAndSlicesWhatIsContiguous) {
  const Tensor x = counted({3, 4});
  EXPECT_EQ(x.reshape({2, 6}).row_range(1, 1).to_vector<float>(), (Floats{6, 7, 8, 9, 10, 11}));
  const Tensor slice = x.slice(5, {2, 3});
  EXPECT_EQ(slice.to_vector<float>(), (Floats{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(slice.stride(), 3);
}

TEST_F(TensorTest, JoinsNeighbours) {
  const Tensor x = counted({1, 20});
  const Tensor a = x.slice(2, {2, 3});
  const Tensor b = x.slice(8, {1, 3});
  EXPECT_EQ(a.joined(b).shape(), (Shape{3, 3}));
  EXPECT_EQ(a.joined(b).to_vector<float>(), (Floats{2, 3, 4, 5, 6, 7, 8, 9, 10}));
  const Tensor u = x.slice(0, {4});
  EXPECT_EQ(u.joined(x.slice(4, {2})).shape(), (Shape{6}));
}

TEST_F(TensorTest, GivesAViewTheViewOfTheGradient) {
  const Tensor x = counted({3, 4});
  x.set_requires_gradient();
  EXPECT_TRUE(x.columns(1, 2).requires_gradient());
  EXPECT_FALSE(x.gradient());
  x.storage()->gradient = counted({1, 12}).storage();
  EXPECT_EQ(x.columns(1, 2).gradient().to_vector<float>(), (Floats{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(x.reshape({4, 3}).row_range(3, 1).gradient().to_vector<float>(), (Floats{9, 10, 11}));
}

TEST_F(TensorTest, KnowsWhetherItCoversItsStorage) {
  const Tensor x = counted({3, 4});
  EXPECT_TRUE(x.covers_storage());
  EXPECT_TRUE(x.reshape({12}).covers_storage());
  EXPECT_FALSE(x.columns(0, 3).covers_storage());
  EXPECT_FALSE(x.row_range(0, 2).covers_storage());
  EXPECT_TRUE(counted({1, 4}).columns(0, 4).covers_storage());
  EXPECT_TRUE(counted({0, 4}).covers_storage());
}

TEST_F(TensorTest, KeepsItsMemoryAsLongAsAViewLives) {
  Tensor view = counted({3, 4}).columns(2, 1);
  const Tensor other = counted({3, 4});
  EXPECT_NE(view.raw(), other.raw());
  EXPECT_EQ(view.to_vector<float>(), (Floats{2, 6, 10}));
}

TEST_F(TensorTest, RefusesToReadWhatWasDiscarded) {
  const Tensor x(region, DType::f32, Shape{2, 3});
  EXPECT_EQ(message_of<InvalidArgument>([&] { x.columns(0, 1).discard_values(); }),
            "tensor: [2, 1] is a part of its storage, and cannot be discarded");
  x.discard_values();
  EXPECT_EQ(message_of<InvalidArgument>([&] { x.to_vector<float>(); }),
            "tensor: the values of [2, 3] have been discarded");
}

TEST_F(TensorTest, RefusesViewsOutOfRange) {
  const Tensor x = counted({3, 4});
  EXPECT_EQ(message([&] { x.columns(3, 2); }), "columns: [3, 5) is out of range for shape [3, 4]");
  EXPECT_EQ(message([&] { x.columns(-1, 2); }),
            "columns: [-1, 1) is out of range for shape [3, 4]");
  EXPECT_EQ(message([&] { x.row_range(2, 2); }),
            "row_range: [2, 4) is out of range for shape [3, 4]");
  EXPECT_EQ(message([&] { counted({12}).row_range(0, 1); }),
            "row_range: [0, 1) is out of range for shape [12]");
  EXPECT_EQ(message([&] { x.reshape({5, 2}); }), "reshape: [3, 4] does not become [5, 2]");
  EXPECT_EQ(message([&] { x.columns(0, 2).reshape({6}); }), "reshape: [3, 2] does not become [6]");
  EXPECT_EQ(message([&] { x.slice(8, {5}); }),
            "slice: 5 elements from 8 are out of range for shape [3, 4]");
  EXPECT_EQ(message([&] { x.slice(-1, {5}); }),
            "slice: 5 elements from -1 are out of range for shape [3, 4]");
}

TEST_F(TensorTest, RefusesToJoinWhatIsApart) {
  const Tensor x = counted({1, 20});
  const Tensor a = x.slice(0, {2, 3});
  EXPECT_EQ(message([&] {
              a.joined(x.slice(7, {1, 3}));
            }),
            "joined: [2, 3] and [1, 3] are not neighbours");
  EXPECT_EQ(message([&] {
              a.joined(x.slice(6, {1, 2}));
            }),
            "joined: [2, 3] and [1, 2] are not neighbours");
  EXPECT_EQ(message([&] {
              a.joined(counted({1, 3}));
            }),
            "joined: [2, 3] and [1, 3] are not neighbours");
}

TEST_F(TensorTest, RefusesOtherTypesAndSizes) {
  const Tensor x = counted({3, 4});
  EXPECT_EQ(message([&] { x.data<double>(); }), "tensor: data of f32 asked for as f64");
  EXPECT_EQ(message([&] { x.to_vector<std::int32_t>(); }), "tensor: f32 read as i32");
  EXPECT_EQ(message([&] {
              x.upload(Floats{1, 2});
            }),
            "upload: 8 bytes do not fill shape [3, 4] of f32");
  EXPECT_EQ(message([&] { x.columns(0, 2).upload(Floats(6)); }),
            "upload: 24 bytes do not fill shape [3, 2] of f32");
}

TEST_F(TensorTest, RefusesShapesThatCannotBe) {
  EXPECT_EQ(message([] { Shape{1, -2}; }), "shape: extent -2 is negative");
  EXPECT_EQ(message([] { Shape{1, 1, 1, 1, 1}; }), "shape: rank 5 is above the limit of 4");
}

}  // namespace
}  // namespace yona::testing
