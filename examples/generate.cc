// Continues a text, piece by piece: generate MODEL "Once upon a time"
// c++ -std=c++20 generate.cc -lyona -o generate
#include <iostream>
#include <yona/yona.h>

int main(int argc, char** argv) try {
  const auto model = yona::Model::load(argc > 1 ? argv[1] : "run");
  const yona::GenerateOptions options{.max_new = 20, .temperature = 0.8, .top_p = 0.95};
  model.generate(argc > 2 ? argv[2] : "", options,
                 [](const std::string& piece) { return bool(std::cout << piece << std::flush); });
  std::cout << "\n";
} catch (const yona::Error& error) {
  std::cerr << "generate: " << error.what() << "\n";
  return 2;
}
