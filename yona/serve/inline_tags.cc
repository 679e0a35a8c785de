#include "yona/serve/inline_tags.h"

#include <algorithm>
#include <tuple>

#include "yona/serve/html_text.h"

namespace yona::serve {

namespace {

// Tags [begin, end) of a run that belong to one element, or one tag that stands alone.
struct Node {
  std::size_t begin = 0, end = 0;
  bool is_element = false;
};

// Words [begin, end) of the translation.
struct Stretch {
  std::size_t begin = 0, end = 0;
  bool is_empty() const { return begin == end; }
};

// Something to write before a byte of the translation. Where several stand at one byte, what closes
// comes first, inner before outer, then what opens, outer before inner; what stands alone is inside
// what is around it.
struct Mark {
  std::size_t place = 0;
  bool opens = false;  // stands before a word, not behind one
  int order = 0;       // by depth
  std::string html;

  auto key() const { return std::tuple(place, opens, order); }
};

class Placing {
 public:
  Placing(const MarkupRun& run, std::string_view translation, std::span<const WordLink> words)
      : run_(run), translation_(translation), words_(words), source_words_(words_of(run.text)) {}

  std::vector<Mark> marks() && {
    place_all(0, run_.tags.size(), {0, words_.size()}, 0);
    std::stable_sort(marks_.begin(), marks_.end(),
                     [](const Mark& a, const Mark& b) { return a.key() < b.key(); });
    return std::move(marks_);
  }

 private:
  // The elements and single tags side by side among tags [begin, end).
  std::vector<Node> nodes(std::size_t begin, std::size_t end) const {
    std::vector<Node> found;
    for (std::size_t i = begin; i < end;) {
      const std::size_t last = run_.tags[i].partner.value_or(i);
      found.push_back({i, last + 1, last != i});
      i = last + 1;
    }
    return found;
  }

  void place_all(std::size_t begin, std::size_t end, Stretch around, int depth) {
    for (const Node& node : nodes(begin, end)) {
      if (node.is_element && placed_inside_word(node, around, depth)) {
        continue;
      }
      const Stretch own = node.is_element ? stretch_of(node, around) : Stretch{};
      if (own.is_empty()) {
        place_alone(node, around, depth);
        continue;
      }
      const InlineTag& open = run_.tags[node.begin];
      const InlineTag& close = run_.tags[node.end - 1];
      marks_.push_back({words_[own.begin].begin, true, 2 * depth + 1, open.html});
      marks_.push_back({words_[own.end - 1].end, false, -2 * depth, close.html});
      place_all(node.begin + 1, node.end - 1, own, depth + 1);
    }
  }

  // H<sub>2</sub>O: an element with a part of a word, where the translation has the same word.
  bool placed_inside_word(const Node& node, Stretch around, int depth) {
    const InlineTag& open = run_.tags[node.begin];
    const InlineTag& close = run_.tags[node.end - 1];
    const auto inside = [&](const WordLink& word) {
      return word.begin <= open.place && close.place <= word.end &&
             close.place - open.place < word.end - word.begin;
    };
    const auto source = std::find_if(source_words_.begin(), source_words_.end(), inside);
    if (node.end - node.begin != 2 || source == source_words_.end() || open.place == close.place) {
      return false;
    }
    for (std::size_t i = around.begin; i < around.end; ++i) {
      const WordLink& word = words_[i];
      if (word.source >= source->begin && word.source < source->end &&
          text_of(translation_, word) == text_of(run_.text, *source)) {
        const std::size_t shift = word.begin - source->begin;  // may wrap, and wraps back
        marks_.push_back({open.place + shift, true, 2 * depth + 1, open.html});
        marks_.push_back({close.place + shift, false, -2 * depth, close.html});
        return true;
      }
    }
    return false;
  }

  static std::string_view text_of(std::string_view text, const WordLink& word) {
    return text.substr(word.begin, word.end - word.begin);
  }

  // The words of an element among those around it.
  Stretch stretch_of(const Node& node, Stretch around) const {
    const std::size_t begin = run_.tags[node.begin].place;
    const std::size_t end = run_.tags[node.end - 1].place;
    if (begin == 0 && end == run_.text.size()) {
      return around;
    }
    constexpr std::size_t kGap = 2;  // words of no known source that may lie between
    Stretch best;
    Stretch now;
    std::size_t count = 0;
    std::size_t most = 0;
    for (std::size_t i = around.begin; i < around.end; ++i) {
      const std::size_t source = words_[i].source;
      const bool is_own = source != WordLink::kNowhere && source >= begin && source < end;
      if (is_own) {
        now = now.is_empty() ? Stretch{i, i + 1} : Stretch{now.begin, i + 1};
        ++count;
        if (count > most) {
          most = count;
          best = now;
        }
      } else if (source != WordLink::kNowhere || i - now.end >= kGap) {
        now = {};
        count = 0;
      }
    }
    return best;
  }

  // All tags of a node at one place: before the word that followed where a space came first, else
  // behind the word that was before.
  void place_alone(const Node& node, Stretch around, int depth) {
    std::string html;
    for (std::size_t i = node.begin; i < node.end; ++i) {
      html += run_.tags[i].html;
    }
    const std::size_t place = run_.tags[node.begin].place;
    const std::size_t next = word_after(place, around);
    const std::size_t last = word_before(place, around);
    if (next != kNoWord && (last == kNoWord || run_.text[place - 1] == ' ')) {
      marks_.push_back({words_[next].begin, true, 2 * depth, std::move(html)});
    } else if (last != kNoWord) {
      marks_.push_back({words_[last].end, false, -2 * depth + 1, std::move(html)});
    } else {
      const std::size_t start =
          around.is_empty() ? translation_.size() : words_[around.begin].begin;
      marks_.push_back({start, true, 2 * depth, std::move(html)});
    }
  }

  static constexpr std::size_t kNoWord = std::string::npos;

  // The word that comes from nearest before a byte of the source.
  std::size_t word_before(std::size_t place, Stretch around) const {
    if (place == run_.text.size() && !around.is_empty()) {
      return around.end - 1;
    }
    std::size_t found = kNoWord;
    for (std::size_t i = around.begin; i < around.end; ++i) {
      const std::size_t source = words_[i].source;
      if (source < place && (found == kNoWord || source >= words_[found].source)) {
        found = i;
      }
    }
    return found;
  }

  // The word that comes from nearest behind it.
  std::size_t word_after(std::size_t place, Stretch around) const {
    std::size_t found = kNoWord;
    for (std::size_t i = around.begin; i < around.end; ++i) {
      const std::size_t source = words_[i].source;
      if (source >= place && source != WordLink::kNowhere &&
          (found == kNoWord || source < words_[found].source)) {
        found = i;
      }
    }
    return place == 0 && found != kNoWord ? around.begin : found;
  }

  const MarkupRun& run_;
  std::string_view translation_;
  std::span<const WordLink> words_;
  const std::vector<WordLink> source_words_;
  std::vector<Mark> marks_;
};

}  // namespace

std::string with_tags(const MarkupRun& run, std::string_view translation,
                      std::span<const WordLink> words) {
  std::string html;
  std::size_t place = 0;
  for (const Mark& mark : Placing(run, translation, words).marks()) {
    html += escaped_html(translation.substr(place, mark.place - place)) + mark.html;
    place = mark.place;
  }
  return html + escaped_html(translation.substr(place));
}

}  // namespace yona::serve
