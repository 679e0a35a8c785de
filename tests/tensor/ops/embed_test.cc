#include "yona/tensor/ops/embed.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

struct Batch {
  std::vector<std::int64_t> lengths;
  std::vector<std::int32_t> ids;
};

struct EmbedVariant {
  std::string name;
  Batch batch;
  std::int64_t d = 5;
  bool positions = true;
  std::int32_t padding_id = 6;  // the last of seven
  double dropout = 0.0;
  std::int64_t places = 6;  // rows of the table of positions
};

const Batch kBatch{{3, 0, 1, 4}, {2, 0, 2, 5, 1, 1, 6, 3}};

std::vector<EmbedVariant> embed_variants() {
  Batch many{{40, 33}, {}};
  for (int i = 0; i < 73; ++i) {
    many.ids.push_back(i * 5 % 7);
  }
  return {{"equal ids and padding", kBatch},
          {"dropout", kBatch, 5, true, 6, 0.4},
          {"no positions", kBatch, 5, false},
          {"no positions, dropout", kBatch, 5, false, 6, 0.4},
          {"no padding id", kBatch, 5, true, -1},
          {"no tokens", {{0, 0}, {}}},
          {"one token", {{1}, {4}}, 1},
          {"all padding", {{2, 1}, {6, 6, 6}}},
          {"wide rows", kBatch, 131, true, 6, 0.4},
          {"many rows", many, 3, true, 6, 0.2, 50}};
}

EmbedOptions options_of(const EmbedVariant& variant, const Layout& layout, Context& c) {
  return {.scale = 1.5F,
          .padding_id = variant.padding_id,
          .dropout = {c.dropout(variant.dropout, 3U << 12U), layout}};
}

OpCase fused_embed(const EmbedVariant& variant) {
  OpCase made{variant.name, {{{7, variant.d}}}, [variant](const Inputs& x, Context& c) {
                const auto layout = layout_of(variant.batch.lengths, c.region);
                return Inputs{embed(ids_of(variant.batch.ids, c.region), *layout, x[0],
                                    variant.positions ? x[1] : Tensor(),
                                    options_of(variant, *layout, c), c)};
              }};
  if (variant.positions) {
    made.inputs.push_back({{variant.places, variant.d}});
  }
  return made;
}

// Rows are picked by products with one-hot matrices.
OpCase plain_embed(const EmbedVariant& variant) {
  OpCase made = fused_embed(variant);
  made.op = [variant](const Inputs& x, Context& c) {
    const auto layout = layout_of(variant.batch.lengths, c.region);
    const std::int64_t T = layout->tokens;
    std::vector<double> tokens(static_cast<std::size_t>(T * 7), 0.0);
    std::vector<double> places(static_cast<std::size_t>(T * variant.places), 0.0);
    for (std::int64_t t = 0; t < T; ++t) {
      const auto id = variant.batch.ids[static_cast<std::size_t>(t)];
      tokens[static_cast<std::size_t>(t * 7 + id)] = id == variant.padding_id ? 0.0 : 1.5;
      places[static_cast<std::size_t>(t * variant.places + layout->positions_data()[t])] = 1.0;
    }
    const DType dtype = x[0].dtype();
    Tensor y = matmul(tensor_of(tokens, {T, 7}, dtype, c.region), x[0], Transpose::no, c);
    if (variant.positions) {
      const Tensor at = tensor_of(places, {T, variant.places}, dtype, c.region);
      y = add(y, matmul(at, x[1], Transpose::no, c), c);
    }
    const Dropout dropout = c.dropout(variant.dropout, 3U << 12U);
    return Inputs{multiply(y, dropout_factors(dropout, values_of(y), *layout, variant.d), c)};
  };
  return made;
}

TEST(Embed, PassesEveryUseOfItsCases) {
  for (const EmbedVariant& variant : embed_variants()) {
    check_op(fused_embed(variant));
  }
}

TEST(Embed, EqualsProductsWithOneHotRows) {
  for (const EmbedVariant& variant : embed_variants()) {
    expect_same(fused_embed(variant), plain_embed(variant));
  }
}

TEST(Embed, GivesGradientsOnlyToWhatTakesThem) {
  for (const std::size_t constant : {0U, 1U}) {
    OpCase some = fused_embed(embed_variants()[1]);
    some.inputs[constant].gradient = false;
    check_op(some);
  }
}

TEST(Embed, GivesPaddingItsPositionAndNoGradient) {
  OpCase padding = fused_embed({"padding", {{2}, {6, 6}}});
  const OpResult result = run_op(padding);
  for (const double value : result.gradients[0]) {
    EXPECT_EQ(value, 0.0);
  }
  const std::vector<double> positions = random_values(30, 1);
  expect_near(result.outputs[0], {positions.begin(), positions.begin() + 10}, 0.0, "positions");
}

TEST(Embed, GivesAConstantIdItsRowAndNoGradient) {
  const auto with_constant = [](std::int32_t constant) {
    OpCase made = fused_embed({"constant", {{3}, {2, 5, 2}}, 5, true, -1});
    made.op = [constant](const Inputs& x, Context& c) {
      const auto layout = layout_of({3}, c.region);
      return Inputs{embed(ids_of({2, 5, 2}, c.region), *layout, x[0], x[1],
                          {.scale = 1.5F, .constant_id = constant}, c)};
    };
    return run_op(made);
  };
  const OpResult all = with_constant(-1);
  const OpResult some = with_constant(2);
  EXPECT_EQ(some.outputs[0], all.outputs[0]);
  EXPECT_EQ(some.gradients[1], all.gradients[1]);  // positions learn from it
  for (std::size_t i = 0; i < some.gradients[0].size(); ++i) {
    EXPECT_EQ(some.gradients[0][i], i / 5 == 2 ? 0.0 : all.gradients[0][i]);
  }
}

TEST(Embed, RefusesWhatDoesNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const Tensor table = c.zeros(DType::f32, {7, 4});
  const Tensor ids = ids_of({1, 2, 3}, region);
  const auto layout = layout_of({3}, region);
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { embed(ids, *layout_of({2}, region), table, {}, {}, c); }),
      "embed: 3 ids for 2 tokens");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              embed(ids, *layout, table, c.zeros(DType::f32, {9, 5}), {}, c);
            }),
            "embed: positions [9, 5] do not fit the table [7, 4]");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              embed(ids, *layout, table, c.zeros(DType::f32, {2, 4}), {}, c);
            }),
            "embed: a sentence of 3 tokens is longer than the 2 positions of the model");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { embed(ids, *layout, table, {}, {.padding_id = 6, .constant_id = 1}, c); }),
            "embed: ids 6 and 1 cannot both be without a gradient");
}

}  // namespace
}  // namespace yona::testing
