// HTML as the runs of text in it, which are translated, and everything else, which stays as it is:
// tags, comments, and what <script>, <style>, <pre>, <code> and elements with translate="no" hold.
//
// A run ends at every tag, so that no tag can be lost or moved. A sentence with a tag inside is
// therefore translated in parts: that is the price.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yona::serve {

class Markup {
 public:
  explicit Markup(std::string_view html);

  // The texts, with the commonest entities (&amp; &lt; &gt; &quot; &#39; &nbsp; and numbers) as
  // characters. None is blank.
  const std::vector<std::string>& runs() const { return runs_; }
  // The HTML with other texts in their places, escaped as needed. As many as there are runs.
  std::string with_runs(const std::vector<std::string>& texts) const;

 private:
  void add_text(std::string_view text);

  std::vector<std::string> runs_;
  std::vector<std::string> between_{""};  // before each run, and after the last
};

// &, < and > as entities.
std::string escaped_html(std::string_view text);
std::string unescaped_html(std::string_view text);

}  // namespace yona::serve
