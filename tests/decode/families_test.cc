// Folders of every Hugging Face family, each with an expected.json of what transformers does with
// it: token ids of texts, logits, greedy and beam outputs. tests/fixtures/families holds one small
// folder of each; families_test.py makes others and sets YONA_FAMILIES to have them checked here.
// All of it runs on a GPU too, where there is one.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "yona/decode/generation_config.h"
#include "yona/decode/stepper.h"
#include "yona/decode/translator.h"
#include "yona/io/json_file.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

constexpr double kLogitTolerance = 1e-4;
constexpr double kScoreTolerance = 1e-4;

struct FamilyCase {
  fs::path folder;
  std::string device;
};

std::vector<FamilyCase> family_cases() {
  const char* given = std::getenv("YONA_FAMILIES");
  const fs::path root = given != nullptr ? fs::path(given) : fs::path(YONA_FIXTURES) / "families";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::exists(entry.path() / "expected.json")) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  std::vector<FamilyCase> cases;
  for (const fs::path& folder : folders) {
    cases.push_back({folder, "cpu"});
    if (has_cuda()) {
      cases.push_back({folder, "cuda"});
    }
  }
  return cases;
}

std::string name_of_case(const ::testing::TestParamInfo<FamilyCase>& info) {
  std::string name = info.param.folder.filename().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
  return info.param.device == "cpu" ? name : name + "_on_" + info.param.device;
}

class Families : public ::testing::TestWithParam<FamilyCase> {
 protected:
  Families()
      : folder_(GetParam().folder),
        expected_(read_json(folder_ / "expected.json")),
        backend_(shared_backend(GetParam().device)) {}

  std::unique_ptr<TranslationModel> load(Packing packing = Packing::no) {
    auto model = TranslationModel::load(folder_, backend_, packing);
    model->choose_languages(
        {expected_.value("source_language", ""), expected_.value("target_language", "")});
    return model;
  }

  Translator translator(const TranslationModel& model, std::int64_t beam, bool scores = true) {
    DecodeOptions options = folder_options(folder_, model.info());
    options.beam = beam;
    options.n_best = scores ? beam : 1;
    options.scores = scores;
    return Translator({&model}, backend_, options);
  }

  fs::path folder_;
  Json expected_;
  Backend& backend_;
};

TEST_P(Families, CutsTextsAsTransformersDoes) {
  const auto model = load();
  const Translator translate = translator(*model, 1);
  for (const Json& example : expected_["texts"]) {
    const auto text = example["text"].get<std::string>();
    EXPECT_EQ(translate.source_ids(text), example["ids"].get<Ids>()) << text;
  }
  for (const Json& example : expected_["decoded"]) {
    EXPECT_EQ(model->subwords().target.decode(example["ids"].get<Ids>()),
              example["text"].get<std::string>());
  }
}

TEST_P(Families, HasTheLogitsOfTransformers) {
  const auto model = load();
  const Transformer& transformer = model->transformer();
  Region region(backend_);
  Context c{.region = region};
  const Json& given = expected_["logits"];
  const std::vector<Ids> source{given["source"].get<Ids>()};
  const std::vector<Ids> target{given["target"].get<Ids>()};
  const Ragged memory = transformer.encode(tokens_of(source, region), c);
  const Ragged states = transformer.decode(tokens_of(target, region), memory, c);
  const auto logits = transformer.logits(states.values, c).to_vector<float>();
  const auto rows = given["rows"].get<std::vector<std::vector<double>>>();
  ASSERT_EQ(rows.size(), target[0].size());
  const auto columns = static_cast<std::size_t>(transformer.outputs());
  double worst = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      worst = std::max(worst, std::abs(rows[i][j] - double{logits[i * columns + j]}));
    }
  }
  EXPECT_LE(worst, kLogitTolerance);
  RecordProperty("logits_differ_by", std::to_string(worst));
}

// All hypotheses of a beam and their scores, where the folder has them.
void expect_scores(const std::vector<Hypothesis>& found, const Json& search, std::size_t source) {
  if (!search.contains("scores")) {
    return;
  }
  const Json& outputs = search["n_best"][source];
  ASSERT_EQ(found.size(), outputs.size());
  for (std::size_t n = 0; n < found.size(); ++n) {
    EXPECT_EQ(found[n].ids, outputs[n].get<Ids>()) << "hypothesis " << n;
    EXPECT_NEAR(found[n].score, search["scores"][source][n].get<double>(), kScoreTolerance);
  }
}

TEST_P(Families, GeneratesWhatTransformersDoes) {
  for (const Packing packing : {Packing::no, Packing::yes}) {
    const auto model = load(packing);
    for (const Json& search : expected_["searches"]) {
      const auto beams = search["beams"].get<std::int64_t>();
      Translator translate = translator(*model, beams);
      std::vector<DecodeRequest> requests;
      for (const Json& source : search["sources"]) {
        requests.push_back({.source = source.get<Ids>()});
      }
      const auto answers = translate.decode(requests);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(answers[i].front().ids, search["outputs"][i].get<Ids>())
            << beams << " beams, source " << i;
        expect_scores(answers[i], search, i);
      }
      Translator without_scores = translator(*model, beams, false);
      const auto same = without_scores.decode(requests);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        EXPECT_EQ(same[i].front().ids, answers[i].front().ids) << beams << " beams, source " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Families, ::testing::ValuesIn(family_cases()), name_of_case);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Families);

}  // namespace
}  // namespace yona::testing
