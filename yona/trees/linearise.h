// A tree as a sequence of symbols, which a model can write, and back (Vinyals et al. 2015, "Grammar
// as a Foreign Language"; section 6.3 of "Attention Is All You Need"):
//
//   (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))
//   (S (NP XX XX )NP (VP XX )VP )S              placeholders for the words
//   (S (NP DT NN )NP (VP VBZ )VP )S             their tags, for a model that tags as well
//
// The words are in the model's input, so they are not repeated.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/trees/tree.h"

namespace yona {

inline constexpr std::string_view kWordSymbol = "XX";

enum class LeafSymbol : std::uint8_t { placeholder, tag };
constexpr std::array<std::string_view, 2> enum_names(LeafSymbol) {
  return {"placeholders", "tags"};
}

// No symbols for the empty tree.
std::vector<std::string> linearised(const Tree& tree, LeafSymbol leaves = LeafSymbol::placeholder);

// What tree_from() had to change, each counted.
struct Repairs {
  std::size_t ignored = 0;      // symbols that are none: no label, white space, a bracket inside
  std::size_t unopened = 0;     // closing brackets ignored: no bracket of that label is open
  std::size_t unclosed = 0;     // closing brackets added
  std::size_t empty = 0;        // brackets without words removed
  std::size_t extra_words = 0;  // word symbols ignored: all words are used
  std::size_t lost_words = 0;   // words that had no symbol, attached to the root
  std::size_t roots = 0;        // 1: a root TOP was added

  bool any() const;
};

// The tree that the symbols describe over exactly these words: always a well-formed one, whatever
// the symbols are. A symbol that begins with "(" opens a constituent, one that begins with ")"
// closes one, any other one is the tag of the next word. Repaired from left to right:
//   - ")NP" closes the innermost open NP and what is open inside it; where none is open it is
//     ignored. ")" alone closes the innermost constituent.
//   - word symbols after the last word are ignored; words left at the end become the last children
//   of
//     the root, tagged XX.
//   - what is open at the end is closed; constituents without words are removed.
//   - several trees, or words outside of all brackets, get a root TOP, which EVALB ignores.
//   - symbols that cannot be printed as part of a tree are ignored.
// Without words the tree is empty. Brackets in words are escaped (escapes.h). Throws
// InvalidArgument for a word that is empty, has white space, or is not UTF-8. Linear in time,
// without recursion.
Tree tree_from(std::span<const std::string> symbols, std::span<const std::string> words,
               Repairs* repairs = nullptr);

}  // namespace yona
