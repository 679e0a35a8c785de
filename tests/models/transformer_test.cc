#include "yona/models/transformer.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

std::int64_t parameter_count(const TransformerConfig& config) {
  Transformer model(config);
  std::int64_t count = 0;
  model.visit([&](const std::string& /*name*/, Parameter& parameter) {
    count += parameter.shape.elements();
  });
  return count;
}

TransformerConfig with_vocabulary(TransformerConfig config, std::int64_t size) {
  config.source_vocabulary = config.target_vocabulary = size;
  return config;
}

TEST(Transformer, HasThePapersNumberOfParameters) {
  EXPECT_EQ(parameter_count(with_vocabulary(preset("base"), 37000)), 63'082'496);
  EXPECT_EQ(parameter_count(with_vocabulary(preset("big"), 37000)), 214'245'376);
}

TEST(Transformer, CountsThreeTablesWhenNoneIsShared) {
  TransformerConfig config = with_vocabulary(preset("base"), 37000);
  config.tying = Tying::target;
  EXPECT_EQ(parameter_count(config), 63'082'496 + 37000 * 512);
  config.tying = Tying::none;
  EXPECT_EQ(parameter_count(config), 63'082'496 + 2 * 37000 * 512);
  config.tying = Tying::all;
  config.positions = PositionKind::learned;
  EXPECT_EQ(parameter_count(config), 63'082'496 + 2 * 1024 * 512);
  config.norm = NormPosition::pre;  // two final norms
  EXPECT_EQ(parameter_count(config), 63'082'496 + 2 * 1024 * 512 + 4 * 512);
}

std::vector<std::string> names_of(const TransformerConfig& config) {
  Transformer model(config);
  std::vector<std::string> names;
  model.visit([&](const std::string& name, Parameter& /*parameter*/) { names.push_back(name); });
  return names;
}

std::vector<std::string> attention_names(const std::string& layer, const std::string& kind) {
  std::vector<std::string> names;
  for (const char* part : {"query.weight", "key.weight", "value.weight", "query.bias", "key.bias",
                           "value.bias", "output.weight", "output.bias"}) {
    names.push_back(layer + "." + kind + "." + part);
  }
  names.push_back(layer + "." + kind + "_norm.weight");
  names.push_back(layer + "." + kind + "_norm.bias");
  return names;
}

std::vector<std::string> feed_forward_names(const std::string& layer) {
  std::vector<std::string> names;
  for (const char* part : {".inner.weight", ".inner.bias", ".outer.weight", ".outer.bias",
                           "_norm.weight", "_norm.bias"}) {
    names.push_back(layer + ".feed_forward" + part);
  }
  return names;
}

TEST(Transformer, NamesItsParametersByTheirPath) {
  TransformerConfig config = toy_config();
  config.encoder_layers = config.decoder_layers = 1;
  std::vector<std::string> expected{"shared.weight"};
  const auto append = [&](const std::vector<std::string>& names) {
    expected.insert(expected.end(), names.begin(), names.end());
  };
  append(attention_names("encoder.layers.0", "self_attention"));
  append(feed_forward_names("encoder.layers.0"));
  append(attention_names("decoder.layers.0", "self_attention"));
  append(attention_names("decoder.layers.0", "cross_attention"));
  append(feed_forward_names("decoder.layers.0"));
  EXPECT_EQ(names_of(config), expected);
}

TEST(Transformer, NamesWhatOptionsAdd) {
  TransformerConfig config = toy_config();
  config.tying = Tying::none;
  config.norm = NormPosition::pre;
  config.positions = PositionKind::learned;
  config.attention = AttentionKind::additive;
  const std::vector<std::string> names = names_of(config);
  for (const char* name :
       {"encoder.embedding.weight", "decoder.embedding.weight", "projection.weight",
        "encoder.positions.weight", "decoder.positions.weight", "encoder.norm.weight",
        "decoder.norm.bias", "encoder.layers.1.self_attention.attend.vector",
        "decoder.layers.0.cross_attention.attend.vector"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  EXPECT_EQ(std::count(names.begin(), names.end(), "shared.weight"), 0);
}

TEST(Transformer, PredictsEveryTokenButPadding) {
  for (const Tying tying : {Tying::all, Tying::target, Tying::none}) {
    TransformerConfig config = toy_config();
    config.tying = tying;
    if (tying != Tying::all) {
      config.source_vocabulary = 7;
    }
    ToyModel toy(config);
    EXPECT_EQ(toy.model.projection().shape(), (Shape{10, 8}));
    EXPECT_EQ(toy.model.start_id(), 10);
  }
}

// ---- each sentence by itself -------------------------------------------------------------------

using Rows = std::vector<std::vector<double>>;  // of each sentence of a batch

Rows split(const Ragged& states) {
  const std::vector<double> values = values_of(states.values);
  const std::vector<std::int64_t> offsets = states.layout->offsets.to_vector<std::int64_t>();
  Rows rows;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    rows.emplace_back(values.begin() + offsets[s] * states.values.cols(),
                      values.begin() + offsets[s + 1] * states.values.cols());
  }
  return rows;
}

TransformerConfig with_every_dropout() {
  TransformerConfig config = toy_config();
  config.dropout = 0.3;
  config.attention_dropout = 0.2;
  config.activation_dropout = 0.2;
  return config;
}

// The same sentence alone, among others, and among others in another order, with dropout on.
void expect_independence(const std::string& backend, double tolerance) {
  ToyModel toy(with_every_dropout(), backend);
  Context c{.region = toy.region, .training = true, .random = {.seed = 3, .update = 8}};
  const std::vector<ToySentence> batch = toy_sentences({{5, 4}, {1, 1}, {9, 7}, {2, 3}});
  const Rows together = split(toy.decode(batch, c));
  for (std::size_t s = 0; s < batch.size(); ++s) {
    expect_near(split(toy.decode({batch[s]}, c))[0], together[s], tolerance, "alone");
  }
  const Rows turned = split(toy.decode({batch[2], batch[0], batch[3], batch[1]}, c));
  expect_near(turned[0], together[2], tolerance, "moved to the front");
  expect_near(turned[3], together[1], tolerance, "moved to the end");
}

TEST(Transformer, GivesASentenceTheSameStatesInEveryBatch) {
  expect_independence("reference", 0.0);
  expect_independence("cpu", kBackendF32);
}

TEST(Transformer, DropsOtherThingsInOtherSentencesUpdatesAndPasses) {
  ToyModel toy(with_every_dropout());
  const std::vector<ToySentence> batch = toy_sentences({{5, 4}});
  const auto states = [&](const RandomCounters& random, std::uint64_t id) {
    Context c{.region = toy.region, .training = true, .random = random};
    std::vector<ToySentence> renamed = batch;
    renamed[0].id = id;
    return split(toy.decode(renamed, c))[0];
  };
  const std::vector<double> first = states({.seed = 1}, 1);
  EXPECT_EQ(states({.seed = 1}, 1), first);
  EXPECT_NE(states({.seed = 2}, 1), first);
  EXPECT_NE(states({.seed = 1, .update = 1}, 1), first);
  EXPECT_NE(states({.seed = 1, .pass = 1}, 1), first);
  EXPECT_NE(states({.seed = 1}, 2), first);
}

TEST(Transformer, LooksNotIntoTheFuture) {
  for (const std::string backend : {"reference", "cpu"}) {
    for (const NormPosition norm : {NormPosition::post, NormPosition::pre}) {
      TransformerConfig config = toy_config();
      config.norm = norm;
      ToyModel toy(config, backend);
      Context c{.region = toy.region};
      std::vector<ToySentence> batch = toy_sentences({{4, 3}, {5, 6}, {2, 2}});
      const Rows before = split(toy.decode(batch, c));
      batch[1].target[3] = (batch[1].target[3] + 1) % 10;
      const Rows after = split(toy.decode(batch, c));
      EXPECT_EQ(after[0], before[0]);
      EXPECT_EQ(after[2], before[2]);
      const auto states = [](const Rows& rows, std::int64_t first, std::int64_t last) {
        return std::vector<double>(rows[1].begin() + first * 8, rows[1].begin() + last * 8);
      };
      EXPECT_EQ(states(after, 0, 3), states(before, 0, 3));
      EXPECT_NE(states(after, 3, 4), states(before, 3, 4));
      EXPECT_NE(states(after, 5, 6), states(before, 5, 6));
    }
  }
}

TEST(Transformer, SeesTheWholeSourceFromEveryPlace) {
  ToyModel toy(toy_config());
  Context c{.region = toy.region};
  std::vector<ToySentence> batch = toy_sentences({{5, 3}, {5, 3}});
  const Rows memory = split(toy.encode(batch, c));
  const Rows states = split(toy.decode(batch, c));
  batch[0].source.back() = (batch[0].source.back() + 1) % 10;
  const Rows other_memory = split(toy.encode(batch, c));
  const Rows other_states = split(toy.decode(batch, c));
  EXPECT_NE(other_memory[0][0], memory[0][0]);
  EXPECT_NE(other_states[0][0], states[0][0]);
  EXPECT_EQ(other_memory[1], memory[1]);
  EXPECT_EQ(other_states[1], states[1]);
}

TEST(Transformer, TellsPlacesApartByPositionsAlone) {
  for (const PositionKind kind :
       {PositionKind::sinusoidal, PositionKind::learned, PositionKind::none}) {
    TransformerConfig config = toy_config();
    config.positions = kind;
    ToyModel toy(config);
    Context c{.region = toy.region};
    std::vector<ToySentence> batch = toy_sentences({{3, 1}});
    batch[0].source = {4, 4, 4};
    const std::vector<double> memory = split(toy.encode(batch, c))[0];
    const bool apart = std::abs(memory[0] - memory[8]) > 1e-6;
    EXPECT_EQ(apart, kind != PositionKind::none);
  }
}

TEST(Transformer, TakesEmptyBatchesAndRefusesSentencesBeyondItsPositions) {
  ToyModel toy(toy_config(), "cpu");
  Context c{.region = toy.region};
  EXPECT_EQ(toy.decode({}, c).values.shape(), (Shape{0, 8}));
  EXPECT_THROW(toy.decode(toy_sentences({{17, 2}}), c), InvalidArgument);
  EXPECT_NO_THROW(toy.decode(toy_sentences({{16, 16}}), c));
}

}  // namespace
}  // namespace yona::testing
