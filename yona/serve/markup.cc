#include "yona/serve/markup.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "yona/serve/html_text.h"

namespace yona::serve {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// "b" of "<b class=x>" and "/b" of "</b>", in lower case.
std::string tag_name(std::string_view tag) {
  const std::size_t begin = 1;
  std::size_t end = begin;
  while (end < tag.size() && (std::isalnum(static_cast<unsigned char>(tag[end])) != 0 ||
                              tag[end] == '-' || (tag[end] == '/' && end == begin))) {
    ++end;
  }
  return lower(tag.substr(begin, end - begin));
}

// Does "<" begin a tag here? "a < b" has none.
bool begins_tag(std::string_view html) {
  return html.size() > 1 && html[0] == '<' &&
         (std::isalpha(static_cast<unsigned char>(html[1])) != 0 || html[1] == '/' ||
          html[1] == '!' || html[1] == '?');
}

// The end of the tag or comment at the front: a '>' outside quotes.
std::size_t tag_end(std::string_view html) {
  if (html.starts_with("<!--")) {
    const std::size_t end = html.find("-->");
    return end == html.npos ? html.size() : end + 3;
  }
  char quote = 0;
  for (std::size_t i = 0; i < html.size(); ++i) {
    const char c = html[i];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  return html.size();
}

bool is_untranslated(std::string_view tag, const std::string& name) {
  constexpr std::array<std::string_view, 6> kKept = {"script", "style", "pre",
                                                     "code",   "kbd",   "textarea"};
  const std::string text = lower(tag);
  return std::find(kKept.begin(), kKept.end(), name) != kKept.end() ||
         text.find("translate=\"no\"") != text.npos || text.find("translate='no'") != text.npos ||
         text.find("translate=no") != text.npos;
}

bool closes_itself(std::string_view tag, const std::string& name) {
  constexpr std::array<std::string_view, 14> kEmpty = {"area",  "base",   "br",    "col",  "embed",
                                                       "hr",    "img",    "input", "link", "meta",
                                                       "param", "source", "track", "wbr"};
  return tag.ends_with("/>") || std::find(kEmpty.begin(), kEmpty.end(), name) != kEmpty.end();
}

// Where the element that begins at the front ends, its own closing tag included: elements of the
// same name inside are counted.
std::size_t element_end(std::string_view html, const std::string& name) {
  std::size_t place = tag_end(html);
  int depth = 1;
  while (place < html.size() && depth > 0) {
    place = html.find('<', place);
    if (place == html.npos) {
      return html.size();
    }
    const std::string_view rest = html.substr(place);
    if (!begins_tag(rest)) {
      ++place;
      continue;
    }
    const std::size_t length = tag_end(rest);
    const std::string inner = tag_name(rest);
    depth += inner == name && !closes_itself(rest.substr(0, length), name) ? 1 : 0;
    depth -= inner == "/" + name ? 1 : 0;
    place += length;
  }
  return place;
}

// Does a tag stand inside sentences? Comments do.
bool is_inline(std::string_view tag, const std::string& name) {
  constexpr std::array<std::string_view, 30> kInline = {
      "a",  "abbr", "b",      "bdi", "bdo", "big",   "cite", "data",   "del", "dfn",
      "em", "font", "i",      "img", "ins", "label", "mark", "q",      "s",   "small",
      "tt", "span", "strike", "u",   "sub", "sup",   "time", "strong", "var", "wbr"};
  std::string_view plain = name;
  plain.remove_prefix(plain.starts_with("/") ? 1 : 0);
  return tag.starts_with("<!--") ||
         std::find(kInline.begin(), kInline.end(), plain) != kInline.end();
}

// A closing tag belongs to the last one of its name that is open; what is left has no partner.
void pair_up(std::vector<InlineTag>& tags) {
  std::vector<std::pair<std::string, std::size_t>> open;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const std::string name = tag_name(tags[i].html);
    if (!name.starts_with('/')) {
      if (!name.empty() && !closes_itself(tags[i].html, name)) {
        open.emplace_back(name, i);
      }
      continue;
    }
    const auto found = std::find_if(open.rbegin(), open.rend(), [&](const auto& opened) {
      return name.substr(1) == opened.first;
    });
    if (found != open.rend()) {
      tags[i].partner = found->second;
      tags[found->second].partner = i;
      open.erase(std::prev(found.base()), open.end());
    }
  }
}

// The text with the tags where they were.
std::string interleaved(const std::string& text, const std::vector<InlineTag>& tags) {
  std::string html;
  std::size_t place = 0;
  for (const InlineTag& tag : tags) {
    html += text.substr(place, tag.place - place) + tag.html;
    place = tag.place;
  }
  return html + text.substr(place);
}

}  // namespace

bool MarkupRun::has_tags_inside() const {
  return std::any_of(tags.begin(), tags.end(), [&](const InlineTag& tag) {
    return tag.place > 0 && tag.place < text.size();
  });
}

Markup::Markup(std::string_view html) {
  std::string text;  // of the run so far
  std::vector<InlineTag> tags;
  while (!html.empty()) {
    if (!begins_tag(html)) {
      const std::size_t end = std::min(html.find('<', 1), html.size());
      text += unescaped_html(html.substr(0, end));
      html.remove_prefix(end);
      continue;
    }
    const std::string_view tag = html.substr(0, tag_end(html));
    const std::string name = tag_name(tag);
    const bool is_whole = std::isalpha(static_cast<unsigned char>(tag[1])) != 0 &&
                          is_untranslated(tag, name) && !closes_itself(tag, name);
    const std::string_view taken = html.substr(0, is_whole ? element_end(html, name) : tag.size());
    constexpr std::size_t kMostTags = 256;  // of a run: what is to be done grows with their square
    if (!is_whole && is_inline(tag, name) && tags.size() < kMostTags) {
      tags.push_back({text.size(), std::string(taken)});
    } else {
      add_run(std::exchange(text, {}), std::exchange(tags, {}));
      between_.back() += taken;
    }
    html.remove_prefix(taken.size());
  }
  add_run(text, std::move(tags));
}

// Blanks at both ends stay outside, those inside become single spaces.
void Markup::add_run(const std::string& text, std::vector<InlineTag> tags) {
  const std::size_t first = text.find_first_not_of(kHtmlBlanks);
  if (first == text.npos) {
    between_.back() += interleaved(text, tags);
    return;
  }
  const std::size_t end = text.find_last_not_of(kHtmlBlanks) + 1;
  between_.back() += text.substr(0, first);
  MarkupRun run;
  auto tag = tags.begin();
  for (std::size_t i = first; i < end; ++i) {
    for (; tag != tags.end() && tag->place <= i; ++tag) {
      tag->place = run.text.size();
    }
    const bool is_blank = kHtmlBlanks.find(text[i]) != kHtmlBlanks.npos;
    if (!is_blank) {
      run.text += text[i];
    } else if (!run.text.ends_with(' ')) {
      run.text += ' ';
    }
  }
  for (; tag != tags.end(); ++tag) {
    tag->place = run.text.size();
  }
  pair_up(tags);
  run.tags = std::move(tags);
  runs_.push_back(std::move(run));
  between_.push_back(text.substr(end));
}

std::string Markup::with_runs(const std::vector<std::string>& htmls) const {
  std::string html = between_.front();
  for (std::size_t i = 0; i < htmls.size(); ++i) {
    html += htmls[i] + between_[i + 1];
  }
  return html;
}

}  // namespace yona::serve
