// Whole model folders with random weights, written and read back. huggingface_test.py sets
// YONA_EXPORT_DIR to have them kept, and loads them with transformers and CTranslate2.

#include <cstdlib>
#include <cstring>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/random.h"
#include "yona/io/atomic_file.h"
#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"
#include "yona/io/model_folder.h"
#include "yona/io/tokenizer_json.h"
#include "yona/io/weight_copy.h"
#include "yona/text/subword.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

// A Transformer's parameters, named and shaped, with values drawn at random.
class RandomParameters {
 public:
  explicit RandomParameters(const ModelDescription& d) : d_(d), random_(7) {
    add_embeddings();
    for (const char* stack : {"encoder", "decoder"}) {
      add_stack(stack);
    }
  }
  std::span<const NamedArray> arrays() const { return arrays_; }

 private:
  void add(const std::string& name, const Shape& shape, float middle, float spread) {
    auto& values = data_.emplace_back(
        std::make_unique<std::vector<float>>(static_cast<std::size_t>(shape.elements())));
    for (float& value : *values) {
      value = middle + spread * static_cast<float>(2 * random_.uniform() - 1);
    }
    arrays_.push_back({name, DType::f32, shape, values->data()});
  }

  // The row of <pad> is zero.
  void add_table(const std::string& name) {
    add(name, {d_.config.target_vocabulary, d_.config.d_model}, 0, 0.2F);
    std::fill_n(data_.back()->end() - d_.config.d_model, d_.config.d_model, 0.0F);
  }

  void add_embeddings() {
    if (d_.config.tying == Tying::all) {
      add_table("shared.weight");
      return;
    }
    if (d_.config.tying == Tying::inputs) {
      add_table("shared.weight");
    } else {
      add_table("encoder.embedding.weight");
      add_table("decoder.embedding.weight");
    }
    if (d_.config.tying != Tying::target) {
      add_table("projection.weight");
    }
  }

  void add_linear(const std::string& name, std::int64_t out, std::int64_t in) {
    add(name + ".weight", {out, in}, 0, 0.4F);
    add(name + ".bias", {out}, 0, 0.2F);
  }

  void add_norm(const std::string& name) {
    add(name + ".weight", {d_.config.d_model}, 1, 0.3F);
    add(name + ".bias", {d_.config.d_model}, 0, 0.3F);
  }

  void add_attention(const std::string& name) {
    for (const char* part : {".query", ".key", ".value", ".output"}) {
      add_linear(name + part, d_.config.d_model, d_.config.d_model);
    }
    add_norm(name + "_norm");
  }

  void add_stack(const std::string& stack) {
    const bool decoder = stack == "decoder";
    for (int n = 0; n < (decoder ? d_.config.decoder_layers : d_.config.encoder_layers); ++n) {
      const std::string layer = stack + ".layers." + std::to_string(n) + ".";
      add_attention(layer + "self_attention");
      if (decoder) {
        add_attention(layer + "cross_attention");
      }
      add_linear(layer + "feed_forward.inner", d_.config.d_ff, d_.config.d_model);
      add_linear(layer + "feed_forward.outer", d_.config.d_model, d_.config.d_ff);
      add_norm(layer + "feed_forward_norm");
    }
    if (d_.config.norm == NormPosition::pre) {
      add_norm(stack + ".norm");
    }
  }

  const ModelDescription& d_;
  RandomSequence random_;
  std::vector<std::unique_ptr<std::vector<float>>> data_;
  std::vector<NamedArray> arrays_;
};

ModelDescription describe(NormPosition norm, Tying tying, int vocabulary) {
  ModelDescription d;
  d.config.encoder_layers = 3;
  d.config.decoder_layers = 2;
  d.config.d_model = 32;
  d.config.d_ff = 48;
  d.config.heads = 4;
  d.config.d_k = d.config.d_v = 8;
  d.config.norm = norm;
  d.config.tying = tying;
  d.config.source_vocabulary = d.config.target_vocabulary = vocabulary;
  d.config.max_positions = 100;
  d.source_language = "en";
  d.target_language = "de";
  return d;
}

SubwordPair train_pair(SubwordAlgorithm algorithm) {
  SubwordTraining options;
  options.algorithm = algorithm;
  options.vocabulary_size = 420;
  options.tags = {">>de<<"};
  const Subword subword(
      train_subword(testing::lines_of(testing::sample_sentences(300)), options, "sample"));
  return {subword, subword};
}

// Texts and the ids that yona gives them, for others to compare with.
Json encoded_examples(const Subword& subword) {
  std::vector<std::string> texts = testing::sample_sentences(20, 11);
  for (const char* text : {"", "x", "  two  spaces ", ">>de<< the old farmer", "日本 ☃ tab\there",
                           "Ａ full-width", "the</s"}) {
    texts.emplace_back(text);
  }
  Json examples = Json::array();
  for (const std::string& text : texts) {
    std::vector<std::int32_t> ids;
    subword.encode(text, ids);
    examples.push_back({{"text", text}, {"ids", ids}, {"decoded", subword.decode(ids)}});
  }
  return examples;
}

void write_folder(const std::filesystem::path& folder, const ModelDescription& description,
                  const SubwordPair& subwords, std::span<const NamedArray> parameters) {
  std::filesystem::create_directories(folder);
  write_model_configs(folder, description);
  const HuggingFaceWeights weights(description, parameters);
  write_safetensors(folder / "model.safetensors", weights.arrays(), HuggingFaceWeights::metadata());
  write_safetensors(folder / "parameters.safetensors", parameters);
  subwords.save(folder);
  if (description.config.norm == NormPosition::pre) {
    replace_file(folder / "tokenizer.json",
                 tokenizer_json(subwords.source.model(), subwords.source.vocabulary()));
  }
  write_json(folder / "examples.json", encoded_examples(subwords.source));
}

void expect_that_it_reads_back(const std::filesystem::path& path,
                               const ModelDescription& description,
                               std::span<const NamedArray> parameters) {
  const ModelFolder folder(path);
  EXPECT_EQ(folder.description(), description);
  for (const NamedArray& expected : parameters) {
    const NamedArray found = folder.get(expected.name, expected.shape);
    EXPECT_EQ(floats_of(found), floats_of(expected)) << expected.name;
  }
}

TEST(HuggingFaceExport, WholeFoldersReadBackTheSame) {
  const testing::TempDir temporary;
  const char* kept = std::getenv("YONA_EXPORT_DIR");
  const std::filesystem::path root = kept != nullptr ? kept : temporary.path();
  for (const SubwordAlgorithm algorithm : {SubwordAlgorithm::bpe, SubwordAlgorithm::unigram}) {
    const SubwordPair subwords = train_pair(algorithm);
    for (const auto& [norm, tying] :
         {std::pair(NormPosition::post, Tying::all), std::pair(NormPosition::post, Tying::target),
          std::pair(NormPosition::post, Tying::none), std::pair(NormPosition::post, Tying::inputs),
          std::pair(NormPosition::pre, Tying::all), std::pair(NormPosition::pre, Tying::inputs)}) {
      const std::filesystem::path folder =
          root / fmt::format("{}-{}-{}", enum_name(norm), enum_name(tying), name_of(algorithm));
      const ModelDescription d = describe(norm, tying, subwords.source.vocabulary().size());
      const RandomParameters parameters(d);
      write_folder(folder, d, subwords, parameters.arrays());
      expect_that_it_reads_back(folder, d, parameters.arrays());
    }
  }
}

}  // namespace
}  // namespace yona
