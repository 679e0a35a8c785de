#include "yona/data/labelled_texts.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/data/line_reader.h"

namespace yona {

namespace {

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t tab = line.find('\t');
    columns.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) {
      return columns;
    }
    line.remove_prefix(tab + 1);
  }
}

std::optional<std::size_t> find_column(const std::vector<std::string_view>& header,
                                       std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found != header.end()) {
      return static_cast<std::size_t>(found - header.begin());
    }
  }
  return std::nullopt;
}

bool is_whole_number(std::string_view text) {
  const std::optional<double> value = label_number(text);
  return value && *value == std::floor(*value) && text.find('.') == std::string_view::npos;
}

template <class Test>
const LabelledText* first_without(const std::vector<LabelledFile>& files, const Test& test,
                                  std::string& name) {
  for (const LabelledFile& file : files) {
    for (const LabelledText& text : file.texts) {
      if (!test(text.label)) {
        name = file.name;
        return &text;
      }
    }
  }
  return nullptr;
}

}  // namespace

std::optional<double> label_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<std::string> ordered_labels(const std::set<std::string>& labels) {
  std::vector<std::string> ordered(labels.begin(), labels.end());
  if (std::all_of(ordered.begin(), ordered.end(), is_whole_number)) {
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
      return label_number(a).value() < label_number(b).value();
    });
  }
  return ordered;
}

LabelledFile read_labelled_texts(const std::filesystem::path& path) {
  LabelledFile file{path.string(), {}};
  LineReader reader(path);
  LineReader::Line line;
  check<FormatError>(reader.next(line),
                     "{}: is empty; its first line names the columns: label, "
                     "sentence and, for pairs, second",
                     file.name);
  const std::string header_line(line.text);
  const std::vector<std::string_view> header = columns_of(header_line);
  const auto label = find_column(header, {"label"});
  const auto first = find_column(header, {"sentence", "text", "sentence1", "first"});
  const auto second = find_column(header, {"second", "sentence2"});
  check<FormatError>(label && first,
                     "{}:1: the columns are '{}'; expected a header line with label and sentence, "
                     "separated by a tab",
                     file.name, fmt::join(header, "', '"));
  while (reader.next(line)) {
    const std::vector<std::string_view> columns = columns_of(line.text);
    check<FormatError>(columns.size() == header.size(),
                       "{}:{}: {} columns, but the header names {}", file.name, reader.lines(),
                       columns.size(), header.size());
    check<FormatError>(line.valid_utf8, "{}:{}: is not UTF-8", file.name, reader.lines());
    LabelledText text{std::string(columns[*label]), std::string(columns[*first]), std::nullopt,
                      reader.lines()};
    check<FormatError>(!text.label.empty(), "{}:{}: the label is empty", file.name, text.line);
    if (second) {
      text.second = std::string(columns[*second]);
    }
    file.texts.push_back(std::move(text));
  }
  check<FormatError>(!file.texts.empty(), "{}: has no texts after its header", file.name);
  return file;
}

LabelSet LabelSet::of(const std::vector<LabelledFile>& files, Kind kind) {
  std::string name;
  const LabelledText* no_number = first_without(
      files, [](const auto& text) { return label_number(text).has_value(); }, name);
  check<FormatError>(kind != Kind::numbers || no_number == nullptr,
                     "{}:{}: the label '{}' is not a number, but data.problem is regression", name,
                     no_number == nullptr ? 0 : no_number->line,
                     no_number == nullptr ? "" : no_number->label);
  const bool all_whole = first_without(files, is_whole_number, name) == nullptr;
  if (kind == Kind::numbers || (kind == Kind::detect && no_number == nullptr && !all_whole)) {
    return {{"value"}, true};
  }
  std::set<std::string> names;
  for (const LabelledFile& file : files) {
    for (const LabelledText& text : file.texts) {
      names.insert(text.label);
    }
  }
  check<FormatError>(names.size() > 1, "data.train: every label is '{}'; there is nothing to learn",
                     names.empty() ? "" : *names.begin());
  return {ordered_labels(names), false};
}

std::int32_t LabelSet::id(const LabelledText& text, const std::string& file) const {
  const auto found = std::find(names_.begin(), names_.end(), text.label);
  const std::size_t shown = std::min<std::size_t>(names_.size(), 8);
  check<FormatError>(
      found != names_.end(),
      "{}:{}: the label '{}' is unknown; those of the training data are {}{}", file, text.line,
      text.label,
      fmt::join(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      shown < names_.size() ? " …" : "");
  return static_cast<std::int32_t>(found - names_.begin());
}

float LabelSet::number(const LabelledText& text, const std::string& file) const {
  const std::optional<double> value = label_number(text.label);
  check<FormatError>(value.has_value(), "{}:{}: the label '{}' is not a number", file, text.line,
                     text.label);
  return static_cast<float>(*value);
}

LabelledExamples::LabelledExamples(const std::vector<LabelledFile>& files, const LabelSet& labels,
                                   const EncoderTokenizer& tokenizer,
                                   const LabelledOptions& options)
    : tokenizer_(tokenizer), options_(options), is_regression_(labels.is_regression()) {
  for (const LabelledFile& file : files) {
    std::uint64_t digest = hash_name(file.name);
    for (const LabelledText& text : file.texts) {
      const EncodedText encoded = tokenizer.encode(
          text.first, text.second ? std::optional<std::string_view>(*text.second) : std::nullopt,
          options.max_length);
      cut_texts_ += encoded.is_cut ? 1 : 0;
      ids_.insert(ids_.end(), encoded.ids.begin(), encoded.ids.end());
      types_.insert(types_.end(), encoded.types.begin(), encoded.types.end());
      offsets_.push_back(static_cast<std::int64_t>(ids_.size()));
      if (is_regression_) {
        numbers_.push_back(labels.number(text, file.name));
      } else {
        classes_.push_back(labels.id(text, file.name));
      }
      digest =
          mix(digest, hash_name(text.label + "\t" + text.first + "\t" + text.second.value_or("")));
    }
    add_part(file.name, 1.0, file.texts.size(), fmt::format("{:016x}", digest));
  }
}

Examples::Lengths LabelledExamples::lengths(std::uint64_t example) const {
  const std::int64_t length = offsets_[example + 1] - offsets_[example];
  return {length, 1, length, 0};
}

void LabelledExamples::fill(std::span<const std::uint32_t> examples, std::int64_t /*batch_tokens*/,
                            const Draw& draw, Batch& batch) const {
  batch.clear();
  Side& text = batch.sides[kText];
  Side& label = batch.sides[kLabel];
  Side& types = batch.sides[kTypes];
  label.width = is_regression_ ? 1 : 0;
  for (const std::uint32_t example : examples) {
    RandomSequence random(
        mix(mix(mix(draw.seed, hash_name("hidden tokens")), static_cast<std::uint64_t>(draw.epoch)),
            example));
    for (std::int64_t at = offsets_[example]; at < offsets_[example + 1]; ++at) {
      const auto i = static_cast<std::size_t>(at);
      const bool is_hidden = options_.hidden > 0 && random.uniform() < options_.hidden &&
                             !tokenizer_.is_special(ids_[i]) && tokenizer_.special().mask >= 0;
      text.ids.push_back(is_hidden ? tokenizer_.special().mask : ids_[i]);
      types.ids.push_back(types_[i]);
    }
    if (is_regression_) {
      label.values.push_back(numbers_[example]);
    } else {
      label.ids.push_back(classes_[example]);
    }
    text.end_example();
    types.end_example();
    label.end_example();
    batch.example_ids.push_back(example_id(options_.corpus, example));
    batch.weights.push_back(1.0F);
  }
}

}  // namespace yona
