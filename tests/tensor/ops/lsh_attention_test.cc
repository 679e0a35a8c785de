#include "yona/tensor/ops/lsh_attention.h"

#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

using Numbers = std::vector<double>;

struct LshCase {
  std::string name;
  std::vector<std::int64_t> lengths;
  LshOptions options;
  std::int64_t d_k = 4, d_v = 3;

  std::int64_t tokens() const {
    std::int64_t sum = 0;
    for (const std::int64_t length : lengths) {
      sum += length;
    }
    return sum;
  }
  // Drawn, and not hashed: a difference of inputs must not move a token.
  Numbers buckets() const {
    Numbers values = random_values(tokens() * options.heads * options.rounds, 77, 0.0,
                                   static_cast<double>(options.buckets));
    for (double& value : values) {
      value = std::floor(value);
    }
    return values;
  }
  OpCase op_case() const {
    const std::int64_t rows = tokens() * options.heads;
    return {name,
            {{{rows, d_k}}, {{rows, d_k}}, {{rows, d_v}}},
            [*this, rows](const Inputs& x, Context& c) {
              const Tensor buckets =
                  tensor_of(this->buckets(), {rows, options.rounds}, x[0].dtype(), c.region);
              return Inputs{lsh_attention(x[0], x[1], x[2], buckets, layout_of(lengths, c.region),
                                          options, c)};
            }};
  }
};

std::vector<LshCase> lsh_cases() {
  std::vector<LshCase> cases;
  for (const bool causal : {false, true}) {
    const auto options = [&](std::int64_t heads, std::int64_t rounds, std::int64_t buckets,
                             std::int64_t chunk) {
      return LshOptions{heads, rounds, buckets, chunk, 0.5F, causal};
    };
    const std::string kind = causal ? ", causal" : "";
    cases.push_back({"sentences" + kind, {9, 1, 14}, options(2, 3, 4, 2)});
    cases.push_back({"one round" + kind, {12}, options(1, 1, 2, 3)});
    cases.push_back({"wide heads" + kind, {5, 2}, options(2, 2, 2, 4), 33, 20});
    cases.push_back({"an empty sentence" + kind, {3, 0, 2}, options(1, 2, 2, 1)});
    cases.push_back({"more buckets than tokens" + kind, {6}, options(2, 2, 16, 64)});
  }
  return cases;
}

TEST(LshAttention, PassesEveryUseOfItsCases) {
  for (const LshCase& lsh : lsh_cases()) {
    check_op(lsh.op_case());
  }
}

TEST(LshAttention, IsTheSameOnEveryBackendForLongSentences) {
  for (const bool causal : {false, true}) {
    const LshCase lsh{"long", {150, 90}, {2, 3, 6, 16, 0.2F, causal}, 20, 24};
    expect_backends_agree(lsh.op_case());
  }
}

// The keys that token i of a sentence sees, from the definition: by the ranks of tokens in their
// buckets. `bucket` gives that of a token in a round.
template <class Bucket>
std::set<std::int64_t> seen_by(std::int64_t i, std::int64_t n, const LshOptions& o,
                               const Bucket& bucket) {
  std::set<std::int64_t> seen;
  for (std::int64_t round = 0; round < o.rounds; ++round) {
    const auto chunk_of = [&](std::int64_t t) {
      std::int64_t rank = 0;
      for (std::int64_t other = 0; other < t; ++other) {
        rank += bucket(other, round) == bucket(t, round) ? 1 : 0;
      }
      return rank / o.chunk;
    };
    for (std::int64_t j = 0; j < (o.causal ? i : n); ++j) {
      const std::int64_t distance = chunk_of(i) - chunk_of(j);
      if (j != i && bucket(i, round) == bucket(j, round) && (distance == 0 || distance == 1)) {
        seen.insert(j);
      }
    }
  }
  return seen.empty() ? std::set<std::int64_t>{i} : seen;
}

// Dense attention under the mask of what is seen.
TEST(LshAttention, IsTheDenseComputationUnderTheSameMask) {
  for (const LshCase& lsh : lsh_cases()) {
    SCOPED_TRACE(lsh.name);
    const LshOptions& o = lsh.options;
    const Numbers q = random_values(lsh.tokens() * o.heads * lsh.d_k, 0);  // as the harness draws
    const Numbers k = random_values(lsh.tokens() * o.heads * lsh.d_k, 1);
    const Numbers v = random_values(lsh.tokens() * o.heads * lsh.d_v, 2);
    const Numbers buckets = lsh.buckets();
    Numbers expected(static_cast<std::size_t>(lsh.tokens() * o.heads * lsh.d_v), 0.0);
    std::int64_t begin = 0;
    for (const std::int64_t n : lsh.lengths) {
      for (std::int64_t item = 0; item < n * o.heads; ++item) {
        const std::int64_t i = item / o.heads;
        const std::int64_t head = item % o.heads;
        const auto row = [&](std::int64_t t) { return (begin + t) * o.heads + head; };
        std::map<std::int64_t, double> weights;
        double sum = 0;
        for (const std::int64_t j : seen_by(i, n, o, [&](std::int64_t t, std::int64_t round) {
               return buckets.at(static_cast<std::size_t>(row(t) * o.rounds + round));
             })) {
          double score = 0;
          for (std::int64_t c = 0; c < lsh.d_k; ++c) {
            score += q.at(static_cast<std::size_t>(row(i) * lsh.d_k + c)) *
                     k.at(static_cast<std::size_t>(row(j) * lsh.d_k + c));
          }
          sum += weights[j] = std::exp(static_cast<double>(o.scale) * score);
        }
        for (const auto& [j, weight] : weights) {
          for (std::int64_t c = 0; c < lsh.d_v; ++c) {
            expected.at(static_cast<std::size_t>(row(i) * lsh.d_v + c)) +=
                weight / sum * v.at(static_cast<std::size_t>(row(j) * lsh.d_v + c));
          }
        }
      }
      begin += n;
    }
    expect_near(run_op(lsh.op_case()).outputs[0], expected, kExactF64, "dense");
  }
}

TEST(LshAttention, HashesToTheNearestSide) {
  for (const std::string_view backend : {"reference", "cpu"}) {
    Region region(shared_backend(backend), 1 << 20);
    Context c{.region = region};
    const auto tensor = [&](const Numbers& values, const Shape& shape) {
      return tensor_of(values, shape, DType::f32, region);
    };
    const Tensor x = tensor({1, 0, 0, 2, -3, 1, 0, -1}, {4, 2});
    const Tensor rotations = tensor({1, 0, 0, 1, 1, 1, 1, -1}, {4, 2});  // two rounds of two axes
    EXPECT_EQ(values_of(lsh_buckets(x, rotations, {.rounds = 2, .buckets = 4}, c)),
              (Numbers{0, 0, 1, 0, 2, 3, 3, 1}));
  }
}

TEST(LshAttention, RefusesWhatDoesNotFit) {
  LshCase bad{"bad", {4}, {1, 2, 3, 2}};
  EXPECT_THAT(message_of<InvalidArgument>([&] { run_op(bad.op_case()); }),
              ::testing::HasSubstr("the buckets are an even number"));
}

}  // namespace
}  // namespace yona::testing
