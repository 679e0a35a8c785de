// Any bytes as a sentence and the terms of a glossary, one on each line: uses lie inside the
// sentence, from left to right, and do not overlap.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "yona/serve/engine/glossary.h"
#include "yona/text/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  if (!yona::is_utf8(rest)) {  // requests that are not are refused before
    return 0;
  }
  std::vector<std::string> lines;
  while (!rest.empty() && lines.size() < 100) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const std::string sentence = lines.empty() ? "" : lines.front();
  std::vector<yona::serve::GlossaryTerm> terms;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i].empty()) {  // as for requests
      terms.push_back({lines[i], "term " + std::to_string(i)});
    }
  }
  std::size_t end = 0;
  for (const yona::serve::TermUse& use : yona::serve::uses_of(sentence, terms)) {
    if (use.begin < end || use.end <= use.begin || use.end > sentence.size()) {
      std::abort();
    }
    end = use.end;
  }
  return 0;
}
