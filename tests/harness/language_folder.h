// A small language model of random weights in a folder, with a tokeniser of bytes and a chat
// template.
#pragma once

#include <filesystem>
#include <memory>

#include "yona/io/causal_lm/language_model.h"
#include "yona/io/json_file.h"

#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {

class LanguageFolder {
 public:
  explicit LanguageFolder(std::uint64_t seed = 1, std::int64_t context = 96) {
    namespace fs = std::filesystem;
    const fs::path tokenizer = fs::path(YONA_FIXTURES) / "lm_tokenizers" / "gpt2";
    fs::copy_file(tokenizer / "tokenizer.json", folder_ / "tokenizer.json");
    Json config = read_json(tokenizer / "tokenizer_config.json");
    config["chat_template"] =
        "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools here') }}"
        "{% endif %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant: ";
    write_json(folder_ / "tokenizer_config.json", config);
    write_weights(seed, context);
  }

  const std::filesystem::path& path() const { return folder_.path(); }

  void write_weights(std::uint64_t seed, std::int64_t context = 96) const {
    CausalLmConfig config;
    config.vocabulary = 330;
    config.layers = 2;
    config.d_model = 16;
    config.d_ff = 32;
    config.heads = 4;
    config.max_positions = context;
    const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 1});
    CausalLm model(config);
    const Parameters parameters(model, *backend, Gradients::no);
    set_values(parameters.weights(), random_values(parameters.count(), seed, -0.5, 0.5));
    write_language_model(folder_.path(), {config, lm_family(config)},
                         lm_config(config, {.begin = 0, .end = 0}), parameters,
                         parameters.weights());
  }

 private:
  TempDir folder_;
};

}  // namespace yona::testing
