#include "yona/trees/tree_reader.h"

#include "yona/base/error.h"
#include "yona/text/display.h"
#include "yona/text/utf8.h"
#include "yona/trees/escapes.h"

namespace yona {

namespace {

constexpr std::size_t kTreeBlock = std::size_t{1} << 16U;
constexpr int kEndOfFile = -1;

// A word or a label in a message.
std::string shown(std::string_view text) { return cut_to_width(printable(text), 40); }

}  // namespace

TreeReader::TreeReader(const std::filesystem::path& path)
    : TreeReader(open_bytes(path), path.string()) {}

TreeReader::TreeReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), block_(kTreeBlock) {
  skip_byte_order_mark();
}

template <class... Args>
void TreeReader::refuse(fmt::format_string<Args...> message, Args&&... args) const {
  fail<FormatError>("{}:{}: {}", name_, line_, fmt::format(message, std::forward<Args>(args)...));
}

// The next byte, or kEndOfFile.
int TreeReader::peek() {
  if (begin_ == end_) {
    begin_ = 0;
    end_ = source_->read(block_.data(), block_.size());
  }
  return begin_ == end_ ? kEndOfFile : static_cast<unsigned char>(block_[begin_]);
}

void TreeReader::skip_byte_order_mark() {
  if (peek() != kEndOfFile &&
      std::string_view(block_.data() + begin_, end_ - begin_).starts_with("\xEF\xBB\xBF")) {
    begin_ += 3;
  }
}

// The text up to white space or a bracket; may be empty.
std::string TreeReader::atom() {
  std::string text;
  for (int c = peek(); c != kEndOfFile; c = peek()) {
    const char character = static_cast<char>(c);
    if (is_tree_space(character) || character == '(' || character == ')') {
      break;
    }
    text += character;
    ++begin_;
  }
  if (!is_utf8(text)) {
    refuse("'{}' is not valid UTF-8", shown(text));
  }
  return text;
}

void TreeReader::open() {
  ++begin_;
  if (pending_) {
    if (!pending_->word.empty()) {
      refuse("the word '{}' is in a bracket with others; it needs one of its own, (TAG {})",
             shown(pending_->word), shown(pending_->word));
    }
    builder_.open(std::move(pending_->label));
  } else if (builder_.open_constituents() == 0) {
    first_line_ = line_;
  }
  if (builder_.nodes() >= kMostNodes) {
    refuse("the tree that begins at line {} has more than {} nodes", first_line_, kMostNodes);
  }
  pending_ = Pending{atom(), ""};
  if (pending_->label.empty() && builder_.open_constituents() > 0) {
    refuse("a bracket inside a tree has no label");
  }
}

void TreeReader::word() {
  std::string text = atom();
  if (!pending_ && builder_.open_constituents() == 0) {
    refuse("the word '{}' is outside of a bracket", shown(text));
  }
  if (!pending_ || !pending_->word.empty()) {
    refuse("the word '{}' is in a bracket with others; it needs one of its own, (TAG {})",
           shown(text), shown(text));
  }
  if (pending_->label.empty()) {
    refuse("the word '{}' is in a bracket without a tag", shown(text));
  }
  pending_->word = std::move(text);
}

void TreeReader::close() {
  ++begin_;
  if (pending_) {
    if (pending_->word.empty()) {
      refuse("the bracket ({}) is empty", shown(pending_->label));
    }
    builder_.leaf(std::move(pending_->label), std::move(pending_->word));
    pending_.reset();
  } else if (builder_.open_constituents() > 0) {
    builder_.close();
  } else {
    refuse("a closing bracket has no opening one");
  }
}

bool TreeReader::next(Tree& tree) {
  while (true) {
    const int c = peek();
    if (c == kEndOfFile) {
      if (pending_ || builder_.open_constituents() > 0) {
        refuse("the file ends inside the tree that begins at line {}", first_line_);
      }
      return false;
    }
    if (c == '(') {
      open();
    } else if (c == ')') {
      close();
      if (builder_.open_constituents() == 0) {
        tree = builder_.finish();
        return true;
      }
    } else if (is_tree_space(static_cast<char>(c))) {
      line_ += c == '\n' ? 1 : 0;
      ++begin_;
    } else {
      word();
    }
  }
}

std::vector<Tree> read_trees(const std::filesystem::path& path) {
  TreeReader reader(path);
  std::vector<Tree> trees;
  for (Tree tree; reader.next(tree);) {
    trees.push_back(std::move(tree));
  }
  return trees;
}

Tree tree_of(std::string_view text) {
  TreeReader reader(open_bytes(text, "tree"), "tree");
  Tree tree;
  Tree second;
  if (reader.next(tree) && reader.next(second)) {
    fail<FormatError>("tree:{}: there is a second tree", reader.first_line());
  }
  return tree;
}

}  // namespace yona
