// Two line readers side by side, or one and a TSV parser.

#include "yona/data/corpus.h"

#include <cmath>

#include "yona/base/error.h"
#include "yona/text/subword.h"

namespace yona {

namespace {

std::string places(const Findings& findings) {
  const std::string_view more = findings.count > findings.first.size() ? ", …" : "";
  return fmt::format("{}{}", fmt::join(findings.first, ", "), more);
}

Json json_of(const Findings& findings) {
  return {{"count", findings.count}, {"first", findings.first}};
}

Findings findings_of(const Json& json) {
  return {json.at("count").get<std::uint64_t>(), json.at("first").get<std::vector<std::string>>()};
}

}  // namespace

void check_corpus(const CorpusSpec& spec) {
  check(std::isfinite(spec.weight) && spec.weight > 0,
        "corpus {}: weight {} must be a positive number", spec.name, spec.weight);
  check(spec.tsv_files.empty() || (spec.source_files.empty() && spec.target_files.empty()),
        "corpus {}: give either source and target files or TSV files, not both", spec.name);
  check(spec.source_files.size() == spec.target_files.size(),
        "corpus {}: {} source files but {} target files; they are paired one to one", spec.name,
        spec.source_files.size(), spec.target_files.size());
  check(!spec.source_files.empty() || !spec.tsv_files.empty(), "corpus {}: no files are given",
        spec.name);
  const TsvColumns& columns = spec.columns;
  check(columns.source >= 1 && columns.target >= 1 && columns.weight >= 0 && columns.document >= 0,
        "corpus {}: TSV columns count from 1 (source {}, target {}, weight {}, document {})",
        spec.name, columns.source, columns.target, columns.weight, columns.document);
  for (const auto* tags : {&spec.source_tags, &spec.target_tags}) {
    for (const std::string& tag : *tags) {
      check_tag(tag);
    }
  }
}

std::vector<std::string> CorpusReport::reasons() const {
  std::vector<std::string> all;
  const auto tell = [&](const Findings& findings, std::string_view what) {
    if (findings.count > 0) {
      all.push_back(fmt::format("{} left out, {} ({})", findings.count, what, places(findings)));
    }
  };
  tell(empty, "a side is empty");
  tell(too_long, fmt::format("a side is longer than {} tokens", max_length));
  tell(invalid_utf8, "not UTF-8");
  tell(malformed, "a column is missing or its weight is not a positive number");
  return all;
}

std::vector<std::string> CorpusReport::summary() const {
  std::vector<std::string> lines_out;
  lines_out.push_back(fmt::format("{}: {} sentence pairs from {} lines", name, pairs, lines));
  for (const std::string& reason : reasons()) {
    lines_out.push_back(fmt::format("{}: {}", name, reason));
  }
  if (byte_order_marks > 0) {
    lines_out.push_back(fmt::format("{}: {} byte-order marks dropped", name, byte_order_marks));
  }
  if (carriage_returns > 0) {
    lines_out.push_back(fmt::format("{}: CR dropped at {} line ends", name, carriage_returns));
  }
  return lines_out;
}

Json CorpusReport::to_json() const {
  return {{"name", name},
          {"lines", lines},
          {"pairs", pairs},
          {"byte_order_marks", byte_order_marks},
          {"carriage_returns", carriage_returns},
          {"max_length", max_length},
          {"empty", json_of(empty)},
          {"too_long", json_of(too_long)},
          {"invalid_utf8", json_of(invalid_utf8)},
          {"malformed", json_of(malformed)}};
}

CorpusReport CorpusReport::from_json(const Json& json) {
  CorpusReport report;
  report.name = json.at("name").get<std::string>();
  report.lines = json.at("lines").get<std::uint64_t>();
  report.pairs = json.at("pairs").get<std::uint64_t>();
  report.byte_order_marks = json.at("byte_order_marks").get<std::uint64_t>();
  report.carriage_returns = json.at("carriage_returns").get<std::uint64_t>();
  report.max_length = json.at("max_length").get<std::int64_t>();
  report.empty = findings_of(json.at("empty"));
  report.too_long = findings_of(json.at("too_long"));
  report.invalid_utf8 = findings_of(json.at("invalid_utf8"));
  report.malformed = findings_of(json.at("malformed"));
  return report;
}

PairReader::PairReader(const CorpusSpec& spec) : spec_(spec) {
  check_corpus(spec_);
  report_.name = spec_.name;
  open_next();
}

bool PairReader::open_next() {
  if (!spec_.tsv_files.empty()) {
    if (opened_ == spec_.tsv_files.size()) {
      return false;
    }
    source_ = std::make_unique<LineReader>(spec_.tsv_files[opened_++]);
    names_.push_back(source_->name());
    return true;
  }
  if (opened_ == spec_.source_files.size()) {
    return false;
  }
  source_ = std::make_unique<LineReader>(spec_.source_files[opened_]);
  target_ = std::make_unique<LineReader>(spec_.target_files[opened_++]);
  names_.push_back(source_->name());
  return true;
}

void PairReader::close_file() {
  for (const auto* reader : {&source_, &target_}) {
    if (*reader != nullptr) {
      report_.byte_order_marks += (*reader)->byte_order_marks();
      report_.carriage_returns += (*reader)->carriage_returns();
      report_.invalid_utf8.add((*reader)->invalid_utf8());
    }
  }
  source_.reset();
  target_.reset();
}

bool PairReader::next(TextPair& pair) {
  while (source_ != nullptr) {
    const Outcome outcome = target_ != nullptr ? read_parallel(pair) : read_tsv(pair);
    if (outcome == Outcome::end_of_file) {
      close_file();
      open_next();
      continue;
    }
    pair.line = report_.lines++;
    pair.file = names_.back();
    pair.file_line = source_->lines();
    if (outcome == Outcome::pair) {
      return true;
    }
  }
  return false;
}

bool PairReader::is_usable(const LineReader& reader, const LineReader::Line& line) {
  if (line.cut) {
    report_.too_long.add(reader.name(), reader.lines());
  }
  return line.valid_utf8 && !line.cut;
}

PairReader::Outcome PairReader::read_parallel(TextPair& pair) {
  LineReader::Line source;
  LineReader::Line target;
  const bool has_source = source_->next(source);
  const bool has_target = target_->next(target);
  if (has_source != has_target) {
    fail_unequal();
  }
  if (!has_source) {
    return Outcome::end_of_file;
  }
  if (!is_usable(*source_, source) || !is_usable(*target_, target)) {
    return Outcome::passed_over;
  }
  pair.source = source.text;
  pair.target = target.text;
  pair.weight = 1;
  pair.document = 0;
  return Outcome::pair;
}

PairReader::Outcome PairReader::read_tsv(TextPair& pair) {
  LineReader::Line line;
  if (!source_->next(line)) {
    return Outcome::end_of_file;
  }
  if (!is_usable(*source_, line)) {
    return Outcome::passed_over;
  }
  TsvFields fields;
  if (!parse_tsv(line.text, spec_.columns, fields)) {
    report_.malformed.add(source_->name(), source_->lines());
    return Outcome::passed_over;
  }
  pair.source = fields.source;
  pair.target = fields.target;
  pair.weight = fields.weight;
  pair.document = fields.document;
  return Outcome::pair;
}

void PairReader::fail_unequal() {
  LineReader::Line line;
  while (source_->next(line)) {
  }
  while (target_->next(line)) {
  }
  fail<FormatError>(
      "corpus {}: {} has {} lines but {} has {}; parallel files need the same number of lines",
      spec_.name, source_->name(), source_->lines(), target_->name(), target_->lines());
}

}  // namespace yona
