#include "yona/tasks/translation/config_keys.h"

#include <cstdio>
#include <map>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/tasks/task_kind.h"

#include "tests/harness/other_value.h"
#include "tests/tasks/config_sources.h"

namespace yona {
namespace {

using testing::from_yaml;
using ::testing::HasSubstr;
using testing::set;
using testing::yaml_error;

// For keys a value that is not the default, as --set takes it and as the file has it. Those of the
// model are found by other_value().
const std::map<std::string, std::pair<std::string, std::string>>& other_values() {
  static const std::map<std::string, std::pair<std::string, std::string>> values{
      {"preset", {"tiny", "tiny"}},
      {"data.train",
       {"[{source: /a.en, target: /a.de}]", "\n    - source: /a.en\n      target: /a.de"}},
      {"data.valid",
       {"[{source: /v.en, target: /v.de}]", "\n    - {source: /v.en, target: /v.de}"}},
      {"data.source_language", {"no", "no"}},
      {"data.target_language", {"de", "de"}},
      {"data.subwords", {"unigram", "unigram"}},
      {"data.vocabulary_size", {"8000", "8000"}},
      {"data.shared_vocabulary", {"false", "false"}},
      {"data.normalisation", {"nmt_nfkc", "nmt_nfkc"}},
      {"data.source_model", {"/s.spm", "/s.spm"}},
      {"data.target_model", {"/t.spm", "/t.spm"}},
      {"data.max_length", {"100", "100"}},
      {"data.sampling", {"0.1", "0.1"}},
      {"data.cache", {"/cache", "/cache"}},
      {"train.time", {"1h30m", "1h30m"}},
      {"train.updates", {"77", "77"}},
      {"train.epochs", {"4", "4"}},
      {"train.batch_tokens", {"auto", "auto"}},
      {"train.accumulate", {"8", "8"}},
      {"train.seed", {"42", "42"}},
      {"train.precision", {"bf16", "bf16"}},
      {"train.schedule", {"cosine", "cosine"}},
      {"train.learning_rate", {"0.0003", "0.0003"}},
      {"train.warmup", {"100", "100"}},
      {"train.final_rate", {"1e-07", "1e-07"}},
      {"train.beta1", {"0.8", "0.8"}},
      {"train.beta2", {"0.999", "0.999"}},
      {"train.epsilon", {"1e-08", "1e-08"}},
      {"train.weight_decay", {"0.01", "0.01"}},
      {"train.weight_decay_on", {"all", "all"}},
      {"train.clip_norm", {"1", "1"}},
      {"train.exchange", {"bf16", "bf16"}},
      {"train.label_smoothing", {"0", "0"}},
      {"train.rdrop", {"5", "5"}},
      {"train.ema", {"0.9999", "0.9999"}},
      {"train.freeze", {"encoder.*,shared.weight", "[encoder.*, shared.weight]"}},
      {"train.on_nan", {"skip", "skip"}},
      {"train.save_every", {"5", "5"}},
      {"train.valid_every", {"6", "6"}},
      {"train.log_every", {"7", "7"}},
      {"train.keep_last", {"8", "8"}},
      {"train.keep_best", {"9", "9"}},
      {"train.patience", {"10", "10"}},
      {"train.valid_metrics", {"bleu,chrf", "[bleu, chrf]"}},
      {"train.best_by", {"chrf", "chrf"}},
      {"train.tensorboard", {"false", "false"}},
      {"train.measure", {"false", "false"}},
      {"train.recompute", {"true", "true"}}};
  return values;
}

// A file with just this key, nested as a person would write it.
std::string yaml_of(const std::string& name, const std::string& value) {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos
             ? name + ": " + value + "\n"
             : name.substr(0, dot) + ":\n  " + name.substr(dot + 1) + ": " + value + "\n";
}

TEST(RunConfigKeys, EachIsSetByTheFileAndByAssignmentAlike) {
  const RunConfig unset = resolve_config("", {});
  for (const ConfigKey<RunConfig>& key : translation_keys()) {
    const auto given = other_values().find(key.name);
    const std::string found =
        key.name.starts_with("model.") ? testing::other_value(key, unset) : std::string();
    ASSERT_TRUE(given != other_values().end() || !found.empty())
        << key.name << ": add a value to the test";
    const auto [text, yaml] =
        given != other_values().end() ? given->second : std::pair(found, found);
    const RunConfig assigned = resolve_config("", {set(key.name, text)});
    const RunConfig read = from_yaml(yaml_of(key.name, yaml));
    EXPECT_TRUE(key.get(assigned) == key.get(read)) << key.name;
    EXPECT_FALSE(key.get(assigned) == key.get(unset)) << key.name;
    EXPECT_EQ(to_yaml(assigned), to_yaml(read)) << key.name;
    EXPECT_FALSE(key.meaning.empty() || key.expected.empty()) << key.name;
  }
}

TEST(RunConfigKeys, WordsMeanWhatTheySay) {
  const auto with = [](const std::string& key, const std::string& word) {
    return resolve_config("", {set(key, word)}).model;
  };
  EXPECT_EQ(with("model.tying", "inputs").tying, Tying::inputs);
  EXPECT_EQ(with("model.tying", "none").tying, Tying::none);
  EXPECT_EQ(with("model.positions", "none").positions, PositionKind::none);
  EXPECT_EQ(with("model.positions", "relative").positions, PositionKind::relative);
}

TEST(RunConfigKeys, EachSurvivesWritingAndReading) {
  std::vector<ConfigAssignment> all;
  for (const auto& [name, values] : other_values()) {
    const std::vector<ConfigAssignment> one{set(name, values.first)};
    const std::string yaml = to_yaml(resolve_config("", one));
    EXPECT_EQ(to_yaml(from_yaml(yaml)), yaml) << name;
    if (name != "train.time") {  // which does not go together with train.updates
      all.push_back(one[0]);
    }
  }
  const std::string yaml = to_yaml(resolve_config("", all));
  EXPECT_EQ(to_yaml(from_yaml(yaml)), yaml);
}

TEST(RunConfigKeys, EachRefusesAListAMapNothingAndNonsense) {
  for (const ConfigKey<RunConfig>& key : run_config_keys()) {
    const bool is_text = key.expected == "text" || key.expected == "a path";
    for (const std::string value : {"{x: 1}", "", "[[1]]", "§§§"}) {
      if (value == "§§§" && (is_text || key.is_list == ListKey::yes)) {
        continue;
      }
      const std::string message = yaml_error(yaml_of(key.name, value));
      EXPECT_THAT(message, HasSubstr(key.name)) << value;
      EXPECT_THAT(message,
                  ::testing::AnyOf(HasSubstr("expected " + key.expected), HasSubstr("data.")))
          << value;
    }
  }
}

// "a whole number from 3 to 16777216, or auto": 2 and 16777217 are refused, as is 0.
template <class Owner>
void expect_limits(const std::vector<ConfigKey<Owner>>& keys, int& count) {
  for (const ConfigKey<Owner>& key : keys) {
    std::int64_t least = 0;
    std::int64_t most = 0;
    const int found =
        std::sscanf(key.expected.c_str(), "a whole number from %ld to %ld", &least, &most);
    if (found == 0 &&
        std::sscanf(key.expected.c_str(), "a whole number of at least %ld", &least) != 1) {
      continue;
    }
    ++count;
    Owner owner{};
    const auto set = [&](std::int64_t value) {
      key.set(owner, ConfigNode::scalar(fmt::to_string(value)), {key.name, "", ""});
    };
    EXPECT_NO_THROW(set(least)) << key.name;
    EXPECT_THROW(set(least - 1), InvalidArgument) << key.name;
    if (least > 0) {
      EXPECT_THROW(set(0), InvalidArgument) << key.name;
    }
    if (found == 2) {
      EXPECT_NO_THROW(set(most)) << key.name;
      EXPECT_THROW(set(most + 1), InvalidArgument) << key.name;
    }
  }
}

TEST(RunConfigKeys, WholeNumbersHaveTheLimitsThatTheyAreDocumentedWith) {
  int count = 0;
  expect_limits(run_config_keys(), count);
  expect_limits(corpus_keys(), count);
  EXPECT_GE(count, 20);
}

std::string documentation() {
  return testing::read_bytes(YONA_SOURCE_DIR "/docs/configuration.md");
}

template <class Owner>
void expect_rows(const std::vector<ConfigKey<Owner>>& keys) {
  const std::string doc = documentation();
  const Owner unset{};
  for (const ConfigKey<Owner>& key : keys) {
    const ConfigNode value = key.get(unset);
    const std::string text = value.kind == ConfigNode::Kind::list ? "`[]`"
                             : value.text.empty()                 ? "empty"
                                                                  : fmt::format("`{}`", value.text);
    EXPECT_THAT(doc, HasSubstr(fmt::format("\n| `{}` | {} | {} | {} |\n", key.name, text,
                                           key.expected, key.meaning)));
  }
}

TEST(RunConfigKeys, EachHasItsRowInTheDocumentation) {
  expect_rows(run_config_keys());
  expect_rows(corpus_keys());
  expect_rows(validation_set_keys());
}

}  // namespace
}  // namespace yona
