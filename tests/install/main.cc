// A program outside yona's tree: includes <yona/yona.h>, links yona::yona, prints what the test
// expects.
#include <iostream>
#include <yona/yona.h>

int main() {
  const yona::CorpusScore score = yona::bleu({"a b c d e f"}, {{"a b c d e f"}});
  std::cout << score.name << " " << score.value << "\n";
  try {
    yona::Model::load("nothing-is-here");
  } catch (const yona::IoError& error) {
    std::cout << "refused: " << error.what() << "\n";
  }
}
