// A parallel corpus as the user describes it, and the stream of its sentence pairs.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/data/line_reader.h"
#include "yona/data/tsv.h"

namespace yona {

// Either source_files and target_files, paired one to one, or tsv_files. Any of them may be
// compressed.
struct CorpusSpec {
  std::string name = "train";
  double weight = 1;  // how often an epoch sees the corpus: see batches.h
  std::vector<std::filesystem::path> source_files;
  std::vector<std::filesystem::path> target_files;
  std::vector<std::filesystem::path> tsv_files;
  TsvColumns columns;
  std::vector<std::string> source_tags;  // put in front of every source sentence: "<BT>", ">>de<<"
  std::vector<std::string> target_tags;
};

// Throws InvalidArgument naming the corpus when the description makes no sense.
void check_corpus(const CorpusSpec& spec);

// What was met while reading; the caller shows summary().
struct CorpusReport {
  std::string name;
  std::uint64_t lines = 0;
  std::uint64_t pairs = 0;  // lines that training uses
  std::uint64_t byte_order_marks = 0;
  std::uint64_t carriage_returns = 0;
  std::int64_t max_length = 0;  // the limit that too_long refers to
  Findings empty;               // a side has no text
  Findings too_long;            // a side has more than max_length tokens
  Findings invalid_utf8;
  Findings malformed;  // TSV: a column is missing, or a weight is not a positive number

  // Short lines for the log; the first says how many pairs there are.
  std::vector<std::string> summary() const;
  // Why lines are left out, and which: "3 left out, not UTF-8 (train.de:1, …)".
  std::vector<std::string> reasons() const;
  Json to_json() const;
  static CorpusReport from_json(const Json& json);
};

struct TextPair {
  std::string source;
  std::string target;
  float weight = 1;
  std::uint64_t document = 0;
  std::uint64_t line = 0;       // in the whole corpus, from 0: identifies the pair
  std::string_view file;        // where it stands, for findings; valid while the reader lives
  std::uint64_t file_line = 0;  // from 1
};

// Reads one pair after another in bounded memory. Pairs that are not UTF-8, malformed or longer
// than LineReader::kLongestLine are counted in the report and passed over; blank ones are given.
class PairReader {
 public:
  // Throws as check_corpus does, and IoError when the first file cannot be opened.
  explicit PairReader(const CorpusSpec& spec);

  // False at the end. Throws FormatError naming both files and both counts when parallel files
  // have different numbers of lines.
  bool next(TextPair& pair);

  // Complete once next() has returned false.
  CorpusReport& report() { return report_; }

 private:
  enum class Outcome : std::uint8_t { pair, passed_over, end_of_file };

  bool open_next();
  void close_file();
  Outcome read_parallel(TextPair& pair);
  Outcome read_tsv(TextPair& pair);
  bool is_usable(const LineReader& reader, const LineReader::Line& line);
  [[noreturn]] void fail_unequal();

  CorpusSpec spec_;
  CorpusReport report_;
  std::size_t opened_ = 0;
  std::deque<std::string> names_;       // of every file opened: pairs point to them
  std::unique_ptr<LineReader> source_;  // or the TSV file
  std::unique_ptr<LineReader> target_;
};

}  // namespace yona
