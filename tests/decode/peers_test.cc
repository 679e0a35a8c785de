// The modes of beam search against the programs that they reproduce.
//
// tests/fixtures/decode/peers.json holds what transformers, CTranslate2 and Marian answered for
// models whose weights are drawn from a seed, so that no weights need to be kept. peers_test.py
// asks them again: through YONA_PEERS_JOBS it has this program write model folders and decode with
// them.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "yona/base/json.h"
#include "yona/data/builtin/generator.h"
#include "yona/decode/batch_decoder.h"
#include "yona/io/huggingface.h"
#include "yona/io/translation_model.h"
#include "yona/tasks/train.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

// A model with weights from a seed, large enough that its predictions are sharp and differ.
class SeededModel {
 public:
  explicit SeededModel(const Json& json, std::string_view backend = "cpu") {
    TransformerConfig config;
    config.source_vocabulary = config.target_vocabulary = json.at("vocabulary");
    config.encoder_layers = config.decoder_layers = json.at("layers");
    config.d_model = json.at("d_model");
    config.d_ff = 2 * config.d_model;
    config.heads = json.at("heads");
    config.max_positions = 64;
    config.norm = json.at("norm") == "pre" ? NormPosition::pre : NormPosition::post;
    config.tying = json.at("tying") == "all" ? Tying::all : Tying::none;
    config.position_base = json.value("position_base", config.position_base);
    model_ = std::make_unique<Transformer>(config);
    parameters_ = std::make_unique<Parameters>(*model_, shared_backend(backend), Gradients::no);
    parameters_->initialise(json.at("seed"));
    const std::vector<double> moves =
        random_values(parameters_->count(), json.at("seed").get<std::uint64_t>() + 100, -0.3, 0.3);
    std::vector<double> weights = values_of(parameters_->weights());
    std::size_t move = 0;
    for (const Parameters::Entry& entry : parameters_->entries()) {
      const bool is_table = entry.name == "shared.weight" || entry.name == "projection.weight" ||
                            entry.name.ends_with("embedding.weight");
      const double scale = entry.value.shape().rank() == 1 ? 1.0 : is_table ? 2.0 : 3.0;
      for (std::int64_t i = entry.offset; i < entry.offset + entry.value.elements(); ++i) {
        double& weight = weights[static_cast<std::size_t>(i)];
        weight = scale * weight + moves[move++];
      }
    }
    set_values(parameters_->weights(), weights);
    invite_end();
    clear_padding();
  }

  const Transformer& transformer() const { return *model_; }

  void write(const fs::path& folder) const {
    const ModelInfo info{
        .config = model_->config(), .source_language = "en", .target_language = "de"};
    fs::create_directories(folder);
    write_model_configs(folder, describe(info));
    write_weights(folder / "model.safetensors", info, *parameters_, parameters_->weights());
  }

 private:
  Tensor find(const std::string& name) const {
    const Parameters::Entry* entry = parameters_->find(name);
    return entry != nullptr ? entry->value : Tensor();
  }

  // Makes </s> likely: its row of the projection leans towards the bias that every state has.
  void invite_end() const {
    const Tensor norm = find("decoder.norm.bias");
    const std::vector<double> bias = values_of(
        norm ? norm
             : find("decoder.layers." + std::to_string(model_->config().decoder_layers - 1) +
                    ".feed_forward_norm.bias"));
    const Tensor projection = find("projection.weight");
    const Tensor end = (projection ? projection : find("shared.weight")).row_range(0, 1);
    double squares = 0;
    for (const double value : bias) {
      squares += value * value;
    }
    std::vector<double> row = values_of(end);
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] += 1.2 * bias[i] / squares;
    }
    set_values(end, row);
  }

  void clear_padding() const {
    for (const char* name : {"shared.weight", "encoder.embedding.weight",
                             "decoder.embedding.weight", "projection.weight"}) {
      if (const Tensor table = find(name)) {
        const Tensor pad = table.row_range(table.rows() - 1, 1);
        set_values(pad, std::vector<double>(static_cast<std::size_t>(pad.cols()), 0.0));
      }
    }
  }

  std::unique_ptr<Transformer> model_;
  std::unique_ptr<Parameters> parameters_;
};

// A small model of the built-in task.
void train_model(const fs::path& folder, std::int64_t updates) {
  fs::create_directories(folder);
  const fs::path text = folder.string() + ".text";
  std::ofstream en(text.string() + ".en");
  std::ofstream de(text.string() + ".de");
  builtin::Generator generator({.seed = 5}, builtin::Split::train);
  for (int i = 0; i < 2000; ++i) {
    const auto [source, target] = generator.next_pair();
    en << source << '\n';
    de << target << '\n';
  }
  en.close();
  de.close();
  RunConfig config;
  config.model = preset("tiny");
  config.model.encoder_layers = config.model.decoder_layers = 2;
  config.model.d_model = 64;
  config.model.max_positions = 64;
  CorpusSpec corpus;
  corpus.source_files = {text.string() + ".en"};
  corpus.target_files = {text.string() + ".de"};
  config.data.corpora = {corpus};
  config.data.vocabulary_size = 460;
  config.train.updates = updates;
  config.train.batch_tokens = 600;
  config.train.tensorboard = false;
  config.train.schedule = {
      .kind = ScheduleKind::constant, .rate = 3e-3, .warmup = 5, .final_rate = 0};
  train(config, {.output = folder, .init = {}});
}

DecodeOptions options_of(const Json& json) {
  DecodeOptions options = DecodeOptions::for_mode(beam_mode(json.at("mode").get<std::string>()));
  options.beam = json.at("beam");
  options.n_best = json.value("n_best", options.beam);
  options.length_penalty = json.value("length_penalty", options.length_penalty);
  options.word_penalty = json.value("word_penalty", 0.0);
  options.patience = json.value("patience", 1.0);
  options.min_length = json.value("min_length", options.min_length);
  options.no_repeat_ngram = json.value("no_repeat_ngram", 0);
  options.force_end = json.value("force_end", options.force_end);
  options.suppress_unknown = json.value("suppress_unknown", options.suppress_unknown);
  options.limit = {.factor = 0, .extra = json.at("max_length")};
  const std::string stopping = json.value("early_stopping", "no");
  options.early_stopping = stopping == "yes"     ? EarlyStopping::yes
                           : stopping == "never" ? EarlyStopping::never
                                                 : EarlyStopping::no;
  return options;
}

std::vector<DecodeRequest> requests_of(const Json& json) {
  std::vector<DecodeRequest> requests;
  for (const Json& request : json) {
    requests.push_back(
        {.source = request.at("source").get<Ids>(), .prefix = request.value("prefix", Ids{})});
  }
  return requests;
}

Json answers_of(const Transformer& model, const Json& job) {
  BatchDecoder decoder({&model}, shared_backend("cpu"), options_of(job.at("options")));
  const std::vector<DecodeRequest> requests = requests_of(job.at("requests"));
  Json answers = Json::array();
  for (const std::vector<Hypothesis>& hypotheses : decoder.decode(requests)) {
    Json& of_request = answers.emplace_back(Json::array());
    for (const Hypothesis& hypothesis : hypotheses) {
      of_request.push_back({{"ids", hypothesis.ids}, {"score", hypothesis.score}});
    }
  }
  return answers;
}

Json read_file(const fs::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

TEST(Peers, AreReproducedInTokensAndScores) {
  const Json fixture = read_file(fs::path(YONA_FIXTURES) / "decode/peers.json");
  for (const Json& entry : fixture.at("models")) {
    const SeededModel model(entry.at("model"));
    for (const Json& job : entry.at("jobs")) {
      const Json answers = answers_of(model.transformer(), job);
      const Json& expected = job.at("answers");
      ASSERT_EQ(answers.size(), expected.size());
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const std::string what =
            entry.at("model").dump() + job.at("options").dump() + ", request " + std::to_string(i);
        ASSERT_GE(answers[i].size(), expected[i].size()) << what;
        for (std::size_t n = 0; n < expected[i].size(); ++n) {
          EXPECT_EQ(answers[i][n].at("ids"), expected[i][n].at("ids")) << what;
          const double score = expected[i][n].at("score").get<double>();
          EXPECT_NEAR(answers[i][n].at("score").get<double>(), score,
                      1e-4 * std::max(1.0, std::abs(score)))
              << what;
        }
      }
    }
  }
}

// {"models": [{"model": {seed, …} | {"trained": updates}, "folder": …, "jobs": […]}]}: folders are
// written where they are not there yet; answers go to the file of the same name with ".out".
TEST(Peers, AnswerTheScript) {
  const char* path = std::getenv("YONA_PEERS_JOBS");
  if (path == nullptr) {
    GTEST_SKIP() << "for peers_test.py";
  }
  Json jobs = read_file(path);
  for (Json& entry : jobs.at("models")) {
    const fs::path folder = entry.at("folder").get<std::string>();
    const Json& description = entry.at("model");
    if (!fs::exists(folder / "config.json")) {
      if (description.contains("trained")) {
        train_model(folder, description.at("trained"));
      } else {
        SeededModel(description).write(folder);
      }
    }
    const ModelInfo info = read_model_info(folder);
    Transformer model(info.config);
    const Parameters parameters(model, shared_backend("cpu"), Gradients::no);
    read_weights(folder, parameters);
    for (Json& job : entry.at("jobs")) {
      job["answers"] = answers_of(model, job);
    }
  }
  std::ofstream(std::string(path) + ".out") << jobs.dump();
}

}  // namespace
}  // namespace yona::testing
