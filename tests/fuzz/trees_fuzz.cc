// Any bytes as a file of trees. What the reader accepts is written in every form, read back as it
// was, brought into its normal form and linearised; what it does not is refused with a FormatError.
// The lines are scored as trees too, good or not: figures are numbers in their range.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/score/brackets.h"
#include "yona/score/evalb_report.h"
#include "yona/trees/linearise.h"
#include "yona/trees/normalise.h"
#include "yona/trees/tree_drawing.h"
#include "yona/trees/tree_reader.h"
#include "yona/trees/tree_text.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void use(const yona::Tree& tree) {
  require(yona::tree_of(yona::to_brackets(tree)) == tree);
  require(yona::tree_of(yona::to_indented(tree)) == tree);
  require(!yona::to_json(tree).dump().empty());
  if (tree.nodes().size() <= 200) {
    require(!yona::drawn(tree).empty());
    require(!yona::drawn(tree, {.columns = 1, .lines = yona::TreeLines::ascii}).empty());
  }
  const yona::Tree normal = yona::normalised(tree);
  require(yona::normalised(normal) == normal);
  require(normal.words().size() <= tree.words().size());
  yona::Repairs repairs;
  require(yona::tree_from(yona::linearised(normal, yona::LeafSymbol::tag), normal.words(),
                          &repairs) == normal);
  require(!repairs.any());
}

void read_trees(std::string_view bytes) {
  try {
    yona::TreeReader reader(yona::open_bytes(bytes, "fuzz"), "fuzz");
    for (yona::Tree tree; reader.next(tree);) {
      require(reader.first_line() >= 1 && reader.first_line() <= reader.line());
      use(tree);
    }
  } catch (const yona::FormatError&) {  // no tree, not UTF-8, a damaged archive
  }
}

void score(std::string_view gold, std::string_view test) {
  const yona::BracketCounts counts = yona::compare_brackets(test, gold);
  require(counts.matched <= counts.gold && counts.matched <= counts.test);
  require(counts.crossing >= 0 && counts.crossing <= counts.test);
  require(counts.correct_tags <= counts.words && counts.words <= counts.length);
  require(yona::evalb_report({&counts, 1}).size() > 1000);
  const yona::Brackets metric;
  std::vector<double> numbers(metric.width());
  const std::vector<std::string> references{std::string(gold)};
  metric.reduce(test, references, numbers);
  const double value = metric.score(numbers).value;
  require(std::isfinite(value) && value >= 0 && value <= 100);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_trees(bytes);
  const std::size_t end = bytes.find('\n');
  const std::string_view rest = end == bytes.npos ? bytes : bytes.substr(end + 1);
  score(bytes.substr(0, end), rest.substr(0, rest.find('\n')));
  return 0;
}
