#include "yona/serve/engine/beam_tree.h"

#include <map>

#include <gtest/gtest.h>

#include "tests/serve/engine/waiting_job.h"

namespace yona {
namespace {

TEST(BeamTree, LeadsFromTheRootToTheBestTranslation) {
  const auto backend = make_backend("cpu");
  const auto model = TranslationModel::load(testing::shared_model().path(), *backend);
  DecodeOptions options;
  options.beam = 3;
  Translator translator({model.get()}, *backend, options);
  const std::string text = testing::shared_model().lines().front();
  const Json tree = serve::beam_tree(*model, translator, text, 1000);
  EXPECT_EQ(tree["text"], translator.translate({text}).front());
  EXPECT_EQ(tree["tokens"].back(), "</s>");
  std::map<std::int64_t, Json> nodes;
  for (const Json& step : tree["steps"]) {
    std::size_t kept = 0;
    for (const Json& node : step) {
      const std::int64_t parent = node["parent"];
      EXPECT_TRUE(parent == 0 || nodes.at(parent)["kept"]) << node;
      nodes[node["id"]] = node;
      kept += node["kept"].get<bool>() ? 1 : 0;
    }
    EXPECT_LE(kept, 3U);
  }
  std::string pieces;
  for (std::int64_t id = tree["best"]; id > 0; id = nodes.at(id)["parent"]) {
    pieces = nodes.at(id)["token"].get<std::string>() + pieces;
  }
  const SentenceTranslation best = translator.n_best(std::vector<TranslationRequest>{{text}})[0][0];
  std::string expected;
  for (const std::int32_t id : best.hypothesis.ids) {
    expected += model->subwords().target.vocabulary().piece(id);
  }
  EXPECT_EQ(pieces, expected);
}

TEST(BeamTree, IsRefusedExactlyWhereItHasMoreNodesThanAllowed) {
  const auto backend = make_backend("cpu");
  const auto model = TranslationModel::load(testing::shared_model().path(), *backend);
  Translator translator({model.get()}, *backend);
  const std::string text = testing::shared_model().lines().front();
  std::int64_t nodes = 0;
  const Json tree = serve::beam_tree(*model, translator, text, 1000);
  for (const Json& step : tree["steps"]) {
    nodes += static_cast<std::int64_t>(step.size());
  }
  EXPECT_NO_THROW(serve::beam_tree(*model, translator, text, nodes));
  try {
    serve::beam_tree(*model, translator, text, nodes - 1);
    ADD_FAILURE() << "not refused";
  } catch (const serve::HttpError& error) {
    EXPECT_EQ(error.status, 413);
    EXPECT_NE(std::string(error.what()).find(fmt::format("the {} nodes", nodes - 1)),
              std::string::npos);
  }
}

TEST(BeamTree, OfABlankTextIsEmpty) {
  const auto backend = make_backend("cpu");
  const auto model = TranslationModel::load(testing::shared_model().path(), *backend);
  Translator translator({model.get()}, *backend);
  const Json tree = serve::beam_tree(*model, translator, " ", 0);
  EXPECT_TRUE(tree["steps"].empty());
  EXPECT_EQ(tree["best"], 0);
}

}  // namespace
}  // namespace yona
