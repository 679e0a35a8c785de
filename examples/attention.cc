// Where the heads of a model look: attention MODEL "A man rides a horse." page.html
// c++ -std=c++20 attention.cc -lyona -o attention
#include <algorithm>
#include <fstream>
#include <iostream>
#include <yona/yona.h>

int main(int argc, char** argv) try {
  if (argc != 4) {
    std::cerr << "usage: attention MODEL TEXT PAGE\n";
    return 2;
  }
  const auto model = yona::Model::load(argv[1]);
  const yona::AttentionMaps maps = model.attention(argv[2]);
  const auto part = yona::AttentionPart::cross;
  const yona::AttentionMap& last = maps.at(part, maps.layers(part) - 1);
  for (std::int64_t head = 0; head < last.heads; ++head) {
    std::cout << "last layer, head " << head + 1 << ":";
    for (std::int64_t token = 0; token < last.queries; ++token) {
      const auto row = last.row(head, token);  // sums to one
      const auto best = std::max_element(row.begin(), row.end()) - row.begin();
      std::cout << "  " << maps.target_tokens[token] << " <- " << maps.source_tokens[best];
    }
    std::cout << "\n";
  }
  std::ofstream(argv[3]) << yona::attention_page(maps);  // all layers and heads, for a browser
} catch (const yona::Error& error) {
  std::cerr << "attention: " << error.what() << "\n";
  return 2;
}
