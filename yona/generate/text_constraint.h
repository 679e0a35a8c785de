// Which tokens may come next so that the whole text matches a regular expression or a JSON schema.
// Used once per step of each sequence, before a token is chosen:
//
//   TextConstraint constraint(regex_grammar("[a-z]+"), trie, {end_of_text});
//   auto state = constraint.begin();
//   const TokenMask& mask = constraint.allowed(state);     // forbid the tokens without a bit
//   state = constraint.advance(state, token);
//
// One thread at a time. The answers of one request (n > 1) share a constraint, each with its state.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "yona/generate/grammar_machine.h"
#include "yona/generate/token_trie.h"

namespace yona {

// One bit for each token id.
struct TokenMask {
  std::vector<std::uint64_t> words;

  bool has(std::int32_t token) const {
    return (words[static_cast<std::size_t>(token) / 64] >> (static_cast<unsigned>(token) % 64) &
            1U) != 0;
  }
  void set(std::int32_t token) {
    words[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1}
                                                   << (static_cast<unsigned>(token) % 64);
  }
  std::int64_t count() const;
};

class TextConstraint {
 public:
  using State = GrammarMachine::State;

  // `end_tokens` end a text: they are allowed where it is complete, and only there.
  TextConstraint(Grammar grammar, std::shared_ptr<const TokenTrie> tokens,
                 std::vector<std::int32_t> end_tokens);

  State begin() const { return machine_.begin(); }
  // The mask is valid until the next call. Throws InvalidArgument where the text is not complete
  // and no token of the vocabulary continues it.
  const TokenMask& allowed(State state);
  // After a token that is allowed; an end token leaves the state as it is. Throws InvalidArgument
  // for one that is not.
  State advance(State state, std::int32_t token);
  // Is the text so far complete?
  bool may_end(State state) const { return machine_.may_end(state); }
  // Is it complete, and nothing can follow? Generation can stop without an end token.
  bool must_end(State state);

 private:
  struct CachedMask {
    State state;
    TokenMask mask;
    bool continues;  // some token other than an end token is allowed
  };
  static constexpr std::size_t kMostMasks = 256;

  const CachedMask& mask_of(State state);
  CachedMask compute(State state);

  GrammarMachine machine_;
  std::shared_ptr<const TokenTrie> tokens_;
  std::vector<std::int32_t> end_tokens_;
  std::list<CachedMask> masks_;  // used last first
  std::unordered_map<State, std::list<CachedMask>::iterator> mask_at_;
};

}  // namespace yona
