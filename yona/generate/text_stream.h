// The text of an answer, token by token: returns the text that is certain, ends at a stop string,
// and holds back what may be the beginning of a character or of a stop string.
//
//   TextStream stream({"\n\n"});
//   stream.push("one\n");    // "one": the line feed may be the beginning of the stop string
//   stream.push("two");      // "\ntwo"
//   stream.push("\n\nx");    // "", and is_stopped()
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yona {

class TextStream {
 public:
  // Empty stop strings are ignored.
  explicit TextStream(std::vector<std::string> stops);

  // Takes a token's bytes; gives the text that no later token can change: well-formed UTF-8, with
  // U+FFFD for bytes that are not. After a stop string, nothing.
  std::string push(std::string_view bytes);
  // Has a stop string come? It is not part of the text.
  bool is_stopped() const { return is_stopped_; }
  // What was held back, at the end of an answer.
  std::string finish();

 private:
  std::size_t certain_bytes() const;

  std::vector<std::string> stops_;
  std::string held_;
  bool is_stopped_ = false;
};

}  // namespace yona
