#include "yona/decode/line_translator.h"

#include <algorithm>
#include <array>
#include <optional>

#include "yona/base/error.h"
#include "yona/base/stop.h"
#include "yona/text/sentences.h"

namespace yona {

namespace {

// The i-th best of every part, or the last that a part has, as one text.
LineTranslation joined(std::span<const std::vector<SentenceTranslation>> parts, std::size_t i,
                       std::string_view space) {
  LineTranslation line;
  for (const std::vector<SentenceTranslation>& of_part : parts) {
    const SentenceTranslation& part = of_part[std::min(i, of_part.size() - 1)];
    line.text.append(line.text.empty() ? "" : space).append(part.text);
    line.score += part.hypothesis.score;
    line.log_probability += part.hypothesis.log_probability;
    line.parts.push_back(part);
  }
  return line;
}

std::size_t most_hypotheses(std::span<const std::vector<SentenceTranslation>> parts) {
  std::size_t most = 1;
  for (const std::vector<SentenceTranslation>& of_part : parts) {
    most = std::max(most, of_part.size());
  }
  return most;
}

}  // namespace

bool has_sentence_spaces(std::string_view language) {
  constexpr std::array<std::string_view, 14> kWithout = {
      "zh", "ja", "th", "lo", "km", "my", "zho", "cmn", "yue", "jpn", "tha", "lao", "khm", "mya"};
  const std::string_view code = language.substr(0, language.find_first_of("-_"));
  return std::find(kWithout.begin(), kWithout.end(), code) == kWithout.end();
}

std::vector<std::string_view> LineTranslator::parts_of(const SourceLine& line) {
  const std::int64_t most = translator_.max_source();
  const auto tokens = [&](std::string_view text) {
    return static_cast<std::int64_t>(translator_.source_ids(text).size());
  };
  const FittingParts found =
      split_to_fit(line.text, options_.source_language,
                   [&](std::string_view text) { return tokens(text) <= most; });
  if (found.parts.size() > 1) {
    check(options_.long_lines == LongLines::split,
          "line {} has {} tokens, the model takes at most {}; cut it, or let it be cut at its "
          "sentence ends (--long split)",
          line.number, tokens(line.text), most);
    ++lines_split_;
    sentences_cut_ += found.inside_sentence ? 1 : 0;
  }
  return found.parts;
}

std::vector<std::vector<LineTranslation>> LineTranslator::translate(
    std::span<const SourceLine> lines, SearchWatch* watch) {
  std::vector<TranslationRequest> requests;
  std::vector<std::size_t> first{0};  // of each line's requests
  std::vector<std::size_t> line_of;   // of each request
  for (const SourceLine& line : lines) {
    check_stop(translator_.options().stop, "translate");
    for (const std::string_view part : parts_of(line)) {
      // A prefix begins the line, so it begins its first part.
      requests.push_back({.text = std::string(part),
                          .prefix = requests.size() == first.back() ? line.prefix : "",
                          .id = line.number});
      line_of.push_back(first.size() - 1);
    }
    first.push_back(requests.size());
  }
  std::optional<RenumberedWatch> watch_lines;
  if (watch != nullptr) {
    watch_lines.emplace(*watch, line_of);
  }
  const std::vector<std::vector<SentenceTranslation>> translations =
      translator_.n_best(requests, watch_lines ? &*watch_lines : nullptr);
  const std::string_view space = has_sentence_spaces(options_.target_language) ? " " : "";
  std::vector<std::vector<LineTranslation>> answers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto parts = std::span(translations).subspan(first[i], first[i + 1] - first[i]);
    std::vector<LineTranslation>& answer = answers.emplace_back();
    for (std::size_t n = 0; n < most_hypotheses(parts); ++n) {
      answer.push_back(joined(parts, n, space));
    }
  }
  return answers;
}

std::vector<std::vector<LineTranslation>> LineTranslator::score(std::span<const SourceLine> lines) {
  std::vector<SentencePair> pairs;
  std::vector<Ids> sources;
  for (const SourceLine& line : lines) {
    check_stop(translator_.options().stop, "score");
    pairs.push_back({line.text, line.target});
    Ids& source = sources.emplace_back(translator_.source_ids(line.text));
    const std::size_t target = translator_.prefix_ids(line.target).size() + 1;
    for (const auto& [side, tokens] : {std::pair("input", source.size()), {"target", target}}) {
      check(static_cast<std::int64_t>(tokens) <= translator_.max_source(),
            "line {}: the {} has {} tokens, the model takes at most {}; cut both sides in the same "
            "places",
            line.number, side, tokens, translator_.max_source());
    }
  }
  std::vector<Hypothesis> scored = translator_.score(pairs);
  std::vector<std::vector<LineTranslation>> answers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    LineTranslation& answer = answers.emplace_back(1).front();
    answer = {.text = lines[i].target,
              .score = scored[i].score,
              .log_probability = scored[i].log_probability};
    answer.parts.push_back({lines[i].target, std::move(scored[i]), std::move(sources[i])});
  }
  return answers;
}

}  // namespace yona
