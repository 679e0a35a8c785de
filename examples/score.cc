// Translates a file and scores it: score MODEL test.en test.de
// c++ -std=c++20 score.cc -lyona -o score
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
#include <yona/yona.h>

std::vector<std::string> lines_of(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "usage: score MODEL SOURCE REFERENCE\n";
    return 2;
  }
  const auto model = yona::Model::load(argv[1]);
  const std::vector<std::string> sources = lines_of(argv[2]);
  std::vector<std::vector<std::string>> references;  // one or more for each line
  std::vector<yona::SourceLine> pairs;
  for (const std::string& line : lines_of(argv[3])) {
    references.push_back({line});
    pairs.push_back({.text = sources.at(pairs.size()), .target = line});
  }
  const std::vector<std::string> translations = model.translate(sources);
  for (const auto& score :
       {yona::bleu(translations, references), yona::chrf(translations, references)}) {
    std::cout << score.name << " = " << score.value << " (" << score.signature << ")\n";
  }
  // How probable the references are to the model, without translating.
  double log_probability = 0;
  for (const yona::Translation& scored : model.score(pairs)) {
    log_probability += scored.log_probability;
  }
  std::cout << "log-probability of the references: " << log_probability << "\n";
} catch (const std::exception& error) {
  std::cerr << "score: " << error.what() << "\n";
  return 2;
}
