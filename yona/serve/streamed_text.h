// A translation streamed as server-sent events: "token" with the text so far, finally "done" or
// "error". Each token event has the whole text, so a long text does not have one for every token:
// all events together are a few times as long as the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/serve/texts.h"

namespace yona::serve {

// Of the thread that computes.
class StreamedText {
 public:
  // Of the first of the texts.
  StreamedText(std::shared_ptr<Exchange> exchange, std::shared_ptr<const Texts> texts);

  void grow(const SentenceProgress& progress);
  // With the answer as JSON.
  void end(TextPieces answer);
  // What fails before anything was sent is answered with a status.
  void fail(const std::exception_ptr& error);

 private:
  void write(TextPieces event);

  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<const Texts> texts_;
  std::vector<std::string> parts_;  // sentences as far as they are
  std::size_t length_ = 0;          // of these together
  std::size_t written_ = 0;         // bytes of token events
  bool has_begun_ = false;
};

}  // namespace yona::serve
