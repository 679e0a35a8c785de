// Words of plain text as the Penn Treebank has them, which is what a parser was trained on: after
// the rules of its tokenizer script (R. MacIntyre, 1995).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yona {

// "They'll say \"no\" (again)." → They 'll say `` no '' ( again ) .
//   - punctuation and brackets are words of their own; commas and colons inside of numbers are not,
//     nor is & inside of a name (AT&T);
//   - a period is one at the end of the text alone: inside it may belong to an abbreviation;
//   - double quotes become `` and '', dashes --, an ellipsis ...;
//   - 's 'm 'd 'll 're 've and n't are cut off, and so is the ' of a plural's genitive; "cannot"
//     and the like are two words.
// One sentence. Words are not escaped: see escapes.h. Invalid UTF-8 is passed on.
std::vector<std::string> ptb_words(std::string_view text);

// Text that is tokenised already: its words are separated by white space, nothing else is done.
std::vector<std::string> spaced_words(std::string_view text);

}  // namespace yona
