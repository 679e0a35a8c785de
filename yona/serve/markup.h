// HTML as the runs of text in it, which are translated, and everything else, which stays as it is:
// tags, comments, and what <script>, <style>, <pre>, <code> and elements with translate="no" hold.
//
// A run ends where the page's flow does: at <p>, <li>, <br> and the like. Tags inside a sentence
// (<b>, <a>, <img>) belong to its run, which is translated as one; inline_tags.h puts them where
// they belong in the translation.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yona::serve {

// A tag, or a comment, inside a run.
struct InlineTag {
  std::size_t place = 0;                 // a byte of the run's text: the tag stands before it
  std::string html;                      // as it was written
  std::optional<std::size_t> partner{};  // which tag of the run closes it, or is closed by it
};

struct MarkupRun {
  std::string text;             // not blank; entities are characters, blanks single spaces
  std::vector<InlineTag> tags;  // in order

  // Is there a tag for which it matters how the translation's words stand?
  bool has_tags_inside() const;
};

class Markup {
 public:
  explicit Markup(std::string_view html);

  const std::vector<MarkupRun>& runs() const { return runs_; }
  // The HTML with other HTML in the places of the runs. As many as there are runs.
  std::string with_runs(const std::vector<std::string>& htmls) const;

 private:
  void add_run(const std::string& text, std::vector<InlineTag> tags);

  std::vector<MarkupRun> runs_;
  std::vector<std::string> between_{""};  // before each run, and after the last
};

}  // namespace yona::serve
