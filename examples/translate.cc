// Translates standard input line by line: translate MODEL < news.en
// c++ -std=c++20 translate.cc -lyona -o translate
#include <iostream>
#include <string>
#include <yona/yona.h>

int main(int argc, char** argv) try {
  const auto model = yona::Model::load(argc > 1 ? argv[1] : "run");
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << model.translate(line) << "\n";
  }
} catch (const yona::Error& error) {
  std::cerr << "translate: " << error.what() << "\n";
  return 2;
}
