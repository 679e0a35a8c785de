#include "yona/decode/tree_rule.h"

#include <string>

namespace yona {

namespace {

using Kind = TreeSymbols::Kind;

// Where an output that follows the rule has got to.
struct TreeState {
  Ids open{};                   // the brackets that are open, by id
  std::int64_t words = 0;       // written
  std::size_t just_opened = 0;  // brackets since the last word or closing bracket

  void take(std::int32_t id, Kind kind) {
    if (kind == Kind::open) {
      open.push_back(id);
      ++just_opened;
      return;
    }
    if (kind == Kind::close && !open.empty()) {
      open.pop_back();
    }
    words += kind == Kind::word ? 1 : 0;
    just_opened = 0;
  }
};

}  // namespace

TreeSymbols::TreeSymbols(const Vocabulary& vocabulary) : ids_(5) {
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string& piece = vocabulary.piece(id);
    const bool is_special = id == vocabulary.unknown() || id == vocabulary.pad();
    const Kind kind = id == vocabulary.end()   ? Kind::end
                      : is_special             ? Kind::other
                      : piece.starts_with('(') ? Kind::open
                      : piece.starts_with(')') ? Kind::close
                                               : Kind::word;
    kinds_.push_back(kind);
    std::string closing = piece;  // ")NP" of "(NP"
    closing.front() = ')';
    closing_.push_back(kind == Kind::open ? vocabulary.find(closing).value_or(-1) : -1);
    if (id != vocabulary.pad()) {  // which never comes out
      ids_[static_cast<std::size_t>(kind)].push_back(id);
    }
  }
}

void TreeRule::append_bans(std::span<const std::int32_t> ids, Ids& bans) const {
  TreeState state;
  for (const std::int32_t id : ids) {
    state.take(id, symbols_->kind(id));
  }
  const auto ban = [&](Kind kind) {
    const Ids& all = symbols_->all(kind);
    bans.insert(bans.end(), all.begin(), all.end());
  };
  const bool is_done = state.words >= words_;
  const bool is_open = !state.open.empty();
  ban(Kind::other);
  if (is_open || !is_done) {
    ban(Kind::end);
  }
  if (is_done || !is_open) {
    ban(Kind::word);
  }
  if (is_done || state.just_opened >= kMostOpened || (!is_open && !ids.empty())) {
    ban(Kind::open);
  }
  // The innermost bracket may be closed if it has something in it, and the root once all is said.
  const bool may_close = is_open && state.just_opened == 0 && (state.open.size() > 1 || is_done);
  const std::int32_t closing = may_close ? symbols_->closing(state.open.back()) : -1;
  for (const std::int32_t id : symbols_->all(Kind::close)) {
    if (id != closing) {
      bans.push_back(id);
    }
  }
}

}  // namespace yona
