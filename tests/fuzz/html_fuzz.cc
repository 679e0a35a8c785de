// Any bytes as HTML: every tag is there once after a translation that changes nothing but the
// words' order, and text that is escaped and read again is the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "yona/serve/html_text.h"
#include "yona/serve/inline_tags.h"
#include "yona/serve/markup.h"
#include "yona/serve/word_links.h"

namespace {

using yona::serve::MarkupRun;
using yona::serve::WordLink;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

// As a translation that says the words in the opposite order.
std::string turned_round(const MarkupRun& run) {
  std::vector<WordLink> words = yona::serve::words_of(run.text);
  std::reverse(words.begin(), words.end());
  std::string translation;
  for (WordLink& word : words) {
    word.source = word.begin;
    const std::string text = run.text.substr(word.begin, word.end - word.begin);
    translation += translation.empty() ? "" : " ";
    word.begin = translation.size();
    translation += text;
    word.end = translation.size();
  }
  const std::string html = yona::serve::with_tags(run, translation, words);
  for (const yona::serve::InlineTag& tag : run.tags) {
    require(html.find(tag.html) != html.npos);
  }
  return html;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view html(reinterpret_cast<const char*>(data), size);
  require(yona::serve::unescaped_html(yona::serve::escaped_html(html)) == html);
  require(yona::serve::unescaped_html(html).size() <= html.size());
  const yona::serve::Markup markup(html);
  std::vector<std::string> htmls;
  for (const MarkupRun& run : markup.runs()) {
    require(!run.text.empty());
    for (const yona::serve::InlineTag& tag : run.tags) {
      require(tag.place <= run.text.size() && !tag.html.empty());
      require(!tag.partner || (*tag.partner < run.tags.size()));
    }
    run.has_tags_inside();
    htmls.push_back(turned_round(run));
  }
  markup.with_runs(htmls);
  return 0;
}
