// Texts with a label each, from tab-separated files: the examples of classification and regression.
//
//   label   sentence              or   label   sentence   second
//   1       a gorgeous film            yes     A man sleeps.   A person rests.
//
// The first line names the columns, in any order: label; sentence (or text, sentence1, first); and,
// where texts are pairs, second (or sentence2). Other columns are not read. There is no quoting.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "yona/data/examples.h"
#include "yona/text/encoder_tokenizer.h"

namespace yona {

struct LabelledText {
  std::string label;
  std::string first;
  std::optional<std::string> second;
  std::uint64_t line = 0;  // in its file, from 1
};

struct LabelledFile {
  std::string name;
  std::vector<LabelledText> texts;
};

// Throws IoError, or FormatError naming file and line for a header without the columns, a line that
// lacks one, and a file without texts.
LabelledFile read_labelled_texts(const std::filesystem::path& path);

// The number that a label writes, if it is one and finite.
std::optional<double> label_number(std::string_view text);
// By value where all are whole numbers, else by name. The second of two is the positive class.
std::vector<std::string> ordered_labels(const std::set<std::string>& labels);

// What labels mean: the classes by name, or numbers.
class LabelSet {
 public:
  LabelSet(std::vector<std::string> names, bool is_regression)
      : names_(std::move(names)), is_regression_(is_regression) {}
  enum class Kind : std::uint8_t { detect, classes, numbers };
  // The labels of training files, in the order of ordered_labels().
  // detect: numbers, if all are and one of them is not whole. Throws FormatError naming file and
  // line for a label that is not a number, and where all labels are equal.
  static LabelSet of(const std::vector<LabelledFile>& files, Kind kind);

  const std::vector<std::string>& names() const { return names_; }  // of a regression: one
  bool is_regression() const { return is_regression_; }
  // Throws FormatError naming `file` and line for a label that is not among the names.
  std::int32_t id(const LabelledText& text, const std::string& file) const;
  float number(const LabelledText& text, const std::string& file) const;

 private:
  std::vector<std::string> names_;
  bool is_regression_ = false;
};

// The sides of a labelled text.
inline constexpr std::size_t kText = 0;
inline constexpr std::size_t kLabel = 1;  // an id, or of a regression a number
inline constexpr std::size_t kTypes = 2;  // the segment of each token

struct LabelledOptions {
  std::int64_t max_length = 512;  // tokens; longer texts are cut
  // The share of tokens that are hidden behind [MASK], drawn again in every epoch; 0: none.
  double hidden = 0.0;
  std::uint64_t corpus = 0;  // which one of the run: see example_id()
};

class LabelledExamples : public Examples {
 public:
  LabelledExamples(const std::vector<LabelledFile>& files, const LabelSet& labels,
                   const EncoderTokenizer& tokenizer, const LabelledOptions& options);

  Lengths lengths(std::uint64_t example) const override;
  void fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens, const Draw& draw,
            Batch& batch) const override;

  std::int64_t cut_texts() const { return cut_texts_; }  // that were longer than max_length

 private:
  EncoderTokenizer tokenizer_;
  LabelledOptions options_;
  bool is_regression_;
  std::vector<std::int32_t> ids_, types_;  // of all texts, one after another
  std::vector<std::int64_t> offsets_{0};
  std::vector<std::int32_t> classes_;
  std::vector<float> numbers_;
  std::int64_t cut_texts_ = 0;
};

}  // namespace yona
