#include "yona/generate/text_constraint.h"

#include <algorithm>
#include <bit>

#include "yona/base/error.h"

namespace yona {

std::int64_t TokenMask::count() const {
  std::int64_t sum = 0;
  for (const std::uint64_t word : words) {
    sum += std::popcount(word);
  }
  return sum;
}

TextConstraint::TextConstraint(Grammar grammar, std::shared_ptr<const TokenTrie> tokens,
                               std::vector<std::int32_t> end_tokens)
    : machine_(std::move(grammar)),
      tokens_(std::move(tokens)),
      end_tokens_(std::move(end_tokens)) {}

TextConstraint::CachedMask TextConstraint::compute(State state) {
  CachedMask result{state, {}, false};
  result.mask.words.assign((tokens_->vocabulary_size() + 63) / 64, 0);
  const std::vector<TokenTrie::Node>& nodes = tokens_->nodes();
  std::vector<State> path{state};  // path[d]: before the byte at depth d
  for (std::size_t i = 0; i < nodes.size();) {
    const TokenTrie::Node& node = nodes[i];
    const State next = machine_.step(path[node.depth], node.byte);
    if (next == GrammarMachine::kDead) {
      i = static_cast<std::size_t>(node.after);
      continue;
    }
    path.resize(node.depth + 1U);
    path.push_back(next);
    for (std::int32_t k = 0; k < node.token_count; ++k) {
      result.mask.set(tokens_->tokens()[static_cast<std::size_t>(node.first_token) +
                                        static_cast<std::size_t>(k)]);
      result.continues = true;
    }
    ++i;
  }
  for (const std::int32_t token : end_tokens_) {
    result.mask.words[static_cast<std::size_t>(token) / 64] &=
        ~(std::uint64_t{1} << (static_cast<unsigned>(token) % 64));
    if (machine_.may_end(state)) {
      result.mask.set(token);
    }
  }
  return result;
}

const TextConstraint::CachedMask& TextConstraint::mask_of(State state) {
  if (const auto found = mask_at_.find(state); found != mask_at_.end()) {
    masks_.splice(masks_.begin(), masks_, found->second);
    return masks_.front();
  }
  masks_.push_front(compute(state));
  mask_at_[state] = masks_.begin();
  if (masks_.size() > kMostMasks) {
    mask_at_.erase(masks_.back().state);
    masks_.pop_back();
  }
  return masks_.front();
}

const TokenMask& TextConstraint::allowed(State state) {
  const CachedMask& cached = mask_of(state);
  check(cached.continues || machine_.may_end(state),
        "constrained text: no token of the vocabulary continues it as the constraint asks");
  return cached.mask;
}

TextConstraint::State TextConstraint::advance(State state, std::int32_t token) {
  check(token >= 0 && static_cast<std::size_t>(token) < tokens_->vocabulary_size(),
        "constrained text: token {} is not in the vocabulary of {}", token,
        tokens_->vocabulary_size());
  if (std::find(end_tokens_.begin(), end_tokens_.end(), token) != end_tokens_.end()) {
    check(machine_.may_end(state), "constrained text: it may not end here");
    return state;
  }
  const std::string& bytes = tokens_->bytes_of(token);
  const std::string_view text = bytes;
  const State next = text.empty() ? GrammarMachine::kDead : machine_.step(state, text);
  check(next != GrammarMachine::kDead, "constrained text: token {} is not allowed here", token);
  return next;
}

bool TextConstraint::must_end(State state) {
  return machine_.may_end(state) && !mask_of(state).continues;
}

}  // namespace yona
