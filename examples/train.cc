// Trains a small Transformer to write digits in reverse, "3 1 4" to "4 1 3": train FOLDER
// Each output token has to find its place at the other end of the input.
// c++ -std=c++20 train.cc -lyona -o train
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>
#include <yona/yona.h>

void write_corpus(const std::filesystem::path& source, const std::filesystem::path& target) {
  std::ofstream forwards(source), backwards(target);
  std::mt19937 random(1);
  for (int line = 0; line < 10000; ++line) {
    std::string text;
    for (auto digits = 1 + random() % 8; digits > 0; --digits) {
      text += text.empty() ? "" : " ";
      text += static_cast<char>('0' + random() % 10);
    }
    forwards << text << "\n";
    backwards << std::string(text.rbegin(), text.rend()) << "\n";
  }
}

int main(int argc, char** argv) try {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "reverse";
  std::filesystem::create_directories(folder);
  write_corpus(folder / "digits", folder / "reversed");

  // `settings` are the keys of docs/configuration.md.
  const yona::TrainSummary run = yona::train(
      {.output = folder / "run",
       .source = {folder / "digits"},
       .target = {folder / "reversed"},
       .settings = {{"preset", "tiny"},
                    {"model.encoder_layers", "2"},
                    {"model.decoder_layers", "2"},
                    {"model.dropout", "0"},
                    {"data.vocabulary_size", "344"},
                    {"train.updates", "600"},
                    {"train.batch_tokens", "1000"},
                    {"train.schedule", "linear"},
                    {"train.learning_rate", "0.003"},
                    {"train.warmup", "50"}}},
      [](const yona::UpdateReport& report) {
        if (report.update % 100 == 0) {
          std::cout << "update " << report.update << ": perplexity " << report.perplexity() << "\n";
        }
      });

  const auto model = yona::Model::load(folder / "run");
  std::cout << run.updates << " updates; 3 1 4 1 5 becomes " << model.translate("3 1 4 1 5")
            << "\n";
} catch (const yona::Error& error) {
  std::cerr << "train: " << error.what() << "\n";
  return 2;
}
