// `yona study NAME`: one of the paper's questions, measured. A study is a list of points that are
// measured one after another, and a page made of what they gave. Points that are finished are kept
// in the output folder: a stopped study continues where it was.
//
// A study is a file with two functions, and a line in studies.cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/json.h"
#include "yona/study/plot.h"

namespace yona {

// small: seconds, for a first look; its figures mean little.
enum class StudySize : std::uint8_t { normal, small };

// What the points of a study may use.
struct StudySetting {
  Backend& backend;
  std::uint64_t seed = 1;
  StudySize size = StudySize::normal;
  const std::atomic<bool>* stop = nullptr;  // a point checks it between its steps
  std::filesystem::path text{};  // labelled sentences, of studies that read them; or empty

  bool is_small() const { return size == StudySize::small; }
};

struct StudyPoint {
  std::string name;  // unique; finished points are found by it
  std::function<Json()> measure;
};

struct StudyTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct StudyPage {
  std::string title;
  std::vector<std::string> findings;  // sentences made from the points' numbers
  std::vector<LinePlot> plots;
  std::vector<StudyTable> tables;
  std::vector<std::string> notes{};  // how it was measured
};

enum class StudyText : bool { not_read, read };

struct StudyKind {
  std::string_view name;
  std::string_view question;  // one line, for the help
  std::vector<StudyPoint> (*points)(const StudySetting& setting);
  StudyPage (*page)(const Json& points);  // name → what it measured; some may be missing
  StudyText text = StudyText::not_read;
};

struct StudyOptions {
  std::filesystem::path output;
  std::string device = "cpu";
  int threads = 0;
  std::uint64_t seed = 1;
  StudySize size = StudySize::normal;
  const std::atomic<bool>* stop = nullptr;
  std::filesystem::path text{};
  // Called before each point that is measured, and at the end: how many of how many are done.
  std::function<void(std::int64_t done, std::int64_t points, const std::string& next)> progress;
};

// Writes study.json, page.html and figure-N.svg into the output folder, after every point. Throws
// InvalidArgument when the folder holds another study or one with other options, or the study reads
// no text that was given, and Interrupted when it was asked to stop; what is finished is then kept.
// Gives the content of study.json.
Json run_study(const StudyKind& kind, const StudyOptions& options);

}  // namespace yona
