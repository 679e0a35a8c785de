// Any bytes as a model's output: the first line are the words, the rest are the symbols, both
// between spaces. Whatever they are, the result is a well-formed tree over exactly these words.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/trees/escapes.h"
#include "yona/trees/linearise.h"
#include "yona/trees/tree_reader.h"
#include "yona/trees/tree_text.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

// Empty parts included, so that symbols without letters are tried.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(' '); end != text.npos; end = text.find(' ')) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

void use(const std::vector<std::string>& symbols, const std::vector<std::string>& words) {
  yona::Repairs repairs;
  const yona::Tree tree = yona::tree_from(symbols, words, &repairs);
  const std::vector<std::string> leaves = tree.words();
  require(leaves.size() == words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    require(leaves[i] == yona::escaped_word(words[i]));
  }
  require(yona::tree_of(yona::to_brackets(tree)) == tree);
  const std::vector<std::string> again = yona::linearised(tree, yona::LeafSymbol::tag);
  require(repairs.any() || again.size() == symbols.size());  // ")" alone stands for ")NP"
  require(yona::tree_from(again, leaves, &repairs) == tree);
  require(!repairs.any());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = bytes.find('\n');
  if (end == bytes.npos) {
    return 0;
  }
  const std::vector<std::string> words =
      end == 0 ? std::vector<std::string>() : parts_of(bytes.substr(0, end));
  try {
    use(parts_of(bytes.substr(end + 1)), words);
  } catch (const yona::InvalidArgument&) {  // a word that no tree can hold
    bool is_refused = false;
    for (const std::string& word : words) {
      is_refused = is_refused || !yona::is_tree_atom(yona::escaped_word(word));
    }
    require(is_refused);
  }
  return 0;
}
