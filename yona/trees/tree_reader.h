// Trees from a file of Penn Treebank brackets: .mrg files, where a tree takes several lines and has
// an outer bracket without a label, and files with one tree a line. Plain, gzip, xz or zstd.
//
//   ( (S                                     (S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))
//       (NP-SBJ (DT the) (NN cat) )
//       (VP (VBZ sleeps) )))
//
// Trees are given as they are written: function tags, traces and the empty outer label included.
// normalise.h removes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "yona/data/byte_source.h"
#include "yona/trees/tree.h"

namespace yona {

class TreeReader {
 public:
  static constexpr std::size_t kMostNodes = std::size_t{1} << 20U;  // of one tree

  explicit TreeReader(const std::filesystem::path& path);
  // `name` is what messages call the source.
  TreeReader(std::unique_ptr<ByteSource> source, std::string name);

  // The next tree; false at the end of the file. Throws FormatError "trees.mrg:12: …" for a word
  // outside of a bracket or beside another, an empty bracket, a bracket without a label inside a
  // tree, a closing bracket too many, the end of the file inside a tree, text that is not UTF-8 and
  // trees of more than kMostNodes; IoError where the system fails. There is no limit on depth.
  bool next(Tree& tree);

  const std::string& name() const { return name_; }
  std::uint64_t line() const { return line_; }              // where reading is
  std::uint64_t first_line() const { return first_line_; }  // of the tree that was read last

 private:
  // A bracket that was opened, and may turn out to be a word or a constituent.
  struct Pending {
    std::string label;
    std::string word;
  };

  int peek();
  void skip_byte_order_mark();
  std::string atom();
  void open();
  void word();
  void close();
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> message, Args&&... args) const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> block_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t line_ = 1, first_line_ = 0;
  TreeBuilder builder_;
  std::optional<Pending> pending_;
};

// All trees of a file.
std::vector<Tree> read_trees(const std::filesystem::path& path);

// The one tree in a string; empty for white space alone. Throws FormatError "tree:1: …".
Tree tree_of(std::string_view text);

}  // namespace yona
