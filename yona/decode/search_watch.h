// Observes searches while they run: to show the best beam so far, to draw the tree of what was
// tried, or to cancel what is no longer needed.
#pragma once

#include <cstddef>
#include <span>

#include "yona/decode/search.h"

namespace yona {

class SearchWatch {
 public:
  SearchWatch() = default;
  virtual ~SearchWatch() = default;
  SearchWatch(const SearchWatch&) = delete;
  SearchWatch& operator=(const SearchWatch&) = delete;

  // After each step of a request's search: the candidates it looked at, and the search with what it
  // made of them. False gives the request up: its answer is one empty hypothesis. Called by the
  // thread that decodes; other requests of the batch wait meanwhile.
  virtual bool stepped(std::size_t request, std::span<const Candidate> candidates,
                       const SentenceSearch& search) = 0;
};

// Passes on what happens in a batch whose requests are `numbers[i]` of the whole.
class RenumberedWatch : public SearchWatch {
 public:
  // Both must outlive this object.
  RenumberedWatch(SearchWatch& watch, std::span<const std::size_t> numbers)
      : watch_(watch), numbers_(numbers) {}

  bool stepped(std::size_t request, std::span<const Candidate> candidates,
               const SentenceSearch& search) override {
    return watch_.stepped(numbers_[request], candidates, search);
  }

 private:
  SearchWatch& watch_;
  std::span<const std::size_t> numbers_;
};

}  // namespace yona
