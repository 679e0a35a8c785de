#include "yona/tensor/ops/recurrent.h"

#include <gtest/gtest.h>

#include "yona/base/enum_names.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/multiply.h"
#include "yona/tensor/ops/tanh.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

struct RecurrentVariant {
  Cell cell;
  std::vector<std::int64_t> offsets;
  std::int64_t d;
  Direction direction = Direction::forward;
  bool initial = true;

  std::string name() const {
    return fmt::format("{}, {} sentences, {} channels{}{}", enum_name(cell), offsets.size() - 1, d,
                       direction == Direction::forward ? "" : ", backward",
                       initial ? "" : ", from zero");
  }
  std::int64_t tokens() const { return offsets.back(); }
  std::int64_t sentences() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
};

std::vector<RecurrentVariant> recurrent_variants() {
  std::vector<RecurrentVariant> variants;
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::tanh}) {
    variants.push_back({cell, {0, 3, 4, 9, 12}, 3});
    variants.push_back({cell, {0, 3, 4, 9, 12}, 4, Direction::backward, false});
    variants.push_back({cell, {0, 1}, 1});
    variants.push_back({cell, {0, 5, 7}, 19});  // more than a vector, and not whole ones
  }
  return variants;
}

constexpr std::int64_t kIn = 4;

// x, W, b, U, b' and the initial states.
std::vector<OpInput> inputs_of(const RecurrentVariant& v) {
  const std::int64_t gates = gates_of(v.cell) * v.d;
  std::vector<OpInput> inputs{
      {{v.tokens(), kIn}}, {{gates, kIn}}, {{gates}}, {{gates, v.d}}, {{gates}}};
  if (v.initial) {
    inputs.push_back({{v.sentences(), v.d}});
  }
  return inputs;
}

OpCase recurrent_case(const RecurrentVariant& v) {
  return {v.name(), inputs_of(v), [v](const Inputs& x, Context& c) {
            const auto layout = make_layout(v.offsets, {}, c.region);
            const TimeOrder order = time_order(*layout, v.direction, c.region);
            const Tensor a = linear(gather_rows(x[0], order.rows, c), x[1], x[2], {}, c);
            const Tensor initial = v.initial ? gather_rows(x[5], order.sentences, c) : Tensor();
            const Tensor h = recurrent(v.cell, a, {x[3], x[4]}, initial, order, c);
            return Inputs{gather_rows(h, order.places, c)};
          }};
}

// A step by the ops that there were before: gates of columns, products of single rows.
struct PlainState {
  Tensor h, c;
};

PlainState plain_step(const RecurrentVariant& v, const Tensor& a, const Tensor& u,
                      const PlainState& before, Context& c) {
  const auto part = [&](const Tensor& t, int k) { return t.columns(k * v.d, v.d); };
  const auto sum = [&](int k) { return add(part(a, k), part(u, k), c); };
  if (v.cell == Cell::tanh) {
    return {tanh(sum(0), c), {}};
  }
  if (v.cell == Cell::gru) {
    const Tensor r = sigmoid(sum(0), c);
    const Tensor z = sigmoid(sum(1), c);
    const Tensor m = tanh(add(part(a, 2), multiply(r, part(u, 2), c), c), c);
    return {add(m, multiply(z, add(before.h, m, c, 1.0F, -1.0F), c), c), {}};
  }
  const Tensor fresh = multiply(sigmoid(sum(0), c), tanh(sum(2), c), c);
  const Tensor cell = before.c ? add(fresh, multiply(sigmoid(sum(1), c), before.c, c), c) : fresh;
  return {multiply(sigmoid(sum(3), c), tanh(cell, c), c), cell};
}

// Token by token, each sentence alone.
OpCase plain_case(const RecurrentVariant& v) {
  OpCase made = recurrent_case(v);
  made.op = [v](const Inputs& x, Context& c) {
    std::vector<Tensor> rows(static_cast<std::size_t>(v.tokens()));
    for (std::size_t s = 0; s + 1 < v.offsets.size(); ++s) {
      const Tensor zero = c.zeros(x[0].dtype(), Shape{1, v.d});
      PlainState state{v.initial ? x[5].row_range(static_cast<std::int64_t>(s), 1) : zero, {}};
      for (std::int64_t t = 0; t < v.offsets[s + 1] - v.offsets[s]; ++t) {
        const std::int64_t row =
            v.direction == Direction::forward ? v.offsets[s] + t : v.offsets[s + 1] - 1 - t;
        const Tensor a = linear(x[0].row_range(row, 1), x[1], x[2], {}, c);
        const Tensor u = linear(state.h, x[3], x[4], {}, c);
        state = plain_step(v, a, u, state, c);
        rows[static_cast<std::size_t>(row)] = state.h;
      }
    }
    return rows;
  };
  return made;
}

TEST(Recurrent, PassesEveryUseOfItsCases) {
  for (const RecurrentVariant& variant : recurrent_variants()) {
    check_op(recurrent_case(variant));
  }
}

TEST(Recurrent, IsTheCellTokenByToken) {
  for (const RecurrentVariant& variant : recurrent_variants()) {
    SCOPED_TRACE(variant.name());
    const std::vector<double> fused = run_op(recurrent_case(variant)).outputs.front();
    std::vector<double> plain;
    for (const std::vector<double>& row : run_op(plain_case(variant)).outputs) {
      plain.insert(plain.end(), row.begin(), row.end());
    }
    expect_near(fused, plain, kExactF64, "states");
  }
}

TEST(Recurrent, HasTheSameBitsWithAnyNumberOfThreads) {
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::tanh}) {
    const OpCase made = recurrent_case({cell, {0, 40, 41, 90, 150}, 96});
    const OpResult one = run_op(made, {.backend = "cpu", .dtype = DType::f32, .threads = 1});
    const OpResult three = run_op(made, {.backend = "cpu", .dtype = DType::f32, .threads = 3});
    EXPECT_EQ(one.outputs, three.outputs);
    EXPECT_EQ(one.gradients, three.gradients);
  }
}

TEST(Recurrent, PutsTheLongestSentenceFirstInTime) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  const std::vector<std::int64_t> offsets{0, 1, 4, 6};
  const auto layout = make_layout(offsets, {}, region);
  const TimeOrder forward = time_order(*layout, Direction::forward, region);
  EXPECT_EQ(forward.counts, (std::vector<std::int64_t>{3, 2, 1}));
  EXPECT_EQ(forward.sentences.to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 2, 0}));
  EXPECT_EQ(forward.rows.to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 4, 0, 2, 5, 3}));
  EXPECT_EQ(forward.places.to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{2, 0, 3, 5, 1, 4}));
  EXPECT_EQ(forward.before.to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, 1, 2, 3, 4, 6}));
  const TimeOrder backward = time_order(*layout, Direction::backward, region);
  EXPECT_EQ(backward.rows.to_vector<std::int32_t>(), (std::vector<std::int32_t>{3, 5, 0, 2, 4, 1}));
}

TEST(Recurrent, RefusesInputsThatDoNotFit) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  Context c{.region = region};
  const std::vector<std::int64_t> offsets{0, 2};
  const TimeOrder order = time_order(*make_layout(offsets, {}, region), Direction::forward, region);
  const RecurrentWeights hidden{c.zeros(DType::f32, Shape{12, 3}), {}};
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              recurrent(Cell::lstm, c.zeros(DType::f32, Shape{2, 8}), hidden, {}, order, c);
            }),
            "recurrent: input [2, 8] of 2 tokens does not fit weight [12, 3]");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              recurrent(Cell::lstm, c.zeros(DType::f32, Shape{2, 12}), hidden,
                        c.zeros(DType::f32, Shape{2, 3}), order, c);
            }),
            "recurrent: initial states [2, 3] of 1 sentences");
}

}  // namespace
}  // namespace yona::testing
