// What an encoder is asked and what it answers: plain values, for the library's users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yona {

// One text, or two that belong together.
struct TextSegments {
  std::string first;
  std::optional<std::string> second{};
};

struct LabelScore {
  std::string label;
  double score = 0;  // a probability; of a regression the value itself
};

struct ClassifiedText {
  std::vector<LabelScore> labels;  // the most probable first
  std::int64_t tokens = 0;
  bool is_cut = false;  // was the text longer than the model's positions?
};

struct EmbedTextOptions {
  std::string pooling{};              // mean, cls or max; empty: the folder's own
  std::optional<bool> normalise{};    // to length 1; none: the folder's own
  std::optional<std::string> prompt;  // by name; none: the folder's default, "" for no prompt
};

struct EmbeddedText {
  std::vector<float> vector;
  std::int64_t tokens = 0;
  bool is_cut = false;
};

struct MaskCandidate {
  std::string token;  // as the text would have it
  double probability = 0;
  std::string text;  // the whole text with this token in place of the mask; one mask alone
};

struct FilledMask {
  std::int64_t place = 0;  // among the tokens of the text, [CLS] counted
  std::vector<MaskCandidate> candidates;
};

}  // namespace yona
