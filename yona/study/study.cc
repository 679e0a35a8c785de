#include "yona/study/study.h"

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/stop.h"
#include "yona/base/timing.h"
#include "yona/io/atomic_file.h"
#include "yona/io/json_file.h"
#include "yona/study/page.h"

namespace yona {

namespace {

constexpr std::string_view kStudyFile = "study.json";

Json empty_study(const StudyKind& kind, const StudyOptions& options) {
  return {{"study", kind.name},
          {"version", YONA_VERSION},
          {"device", options.device},
          {"seed", options.seed},
          {"size", options.size == StudySize::small ? "small" : "normal"},
          {"text", options.text.string()},
          {"findings", Json::array()},
          {"points", Json::object()}};
}

// What the folder has already, or nothing.
Json earlier_study(const StudyKind& kind, const StudyOptions& options) {
  Json study = empty_study(kind, options);
  const std::filesystem::path file = options.output / kStudyFile;
  if (!std::filesystem::exists(file)) {
    return study;
  }
  const Json earlier = read_json(file);
  for (const char* key : {"study", "device", "seed", "size", "text"}) {
    const Json value = earlier.is_object() ? earlier.value(key, Json()) : Json();
    check(value == study[key], "{}: {} is {}, not {}; use another folder for --output",
          file.string(), key, value.dump(), study[key].dump());
  }
  const Json points = earlier.value("points", Json());
  check<FormatError>(points.is_object(), "{}: \"points\" is not an object", file.string());
  study["points"] = points;
  return study;
}

void write_study(const StudyKind& kind, const StudyOptions& options, Json& study) {
  const StudyPage page = kind.page(study["points"]);
  study["findings"] = page.findings;
  write_json(options.output / kStudyFile, study);
  std::vector<std::string> figures;
  for (const LinePlot& plot : page.plots) {
    figures.push_back(svg_of(plot));
    replace_file(options.output / fmt::format("figure-{}.svg", figures.size()), figures.back());
  }
  replace_file(options.output / "page.html", html_of(kind, page, figures, study));
}

}  // namespace

Json run_study(const StudyKind& kind, const StudyOptions& options) {
  check(options.text.empty() || kind.text == StudyText::read, "study: {} does not read --text",
        kind.name);
  std::filesystem::create_directories(options.output);
  Json study = earlier_study(kind, options);
  const auto backend = make_backend(options.device, {.threads = options.threads});
  const StudySetting setting{*backend, options.seed, options.size, options.stop, options.text};
  const std::vector<StudyPoint> points = kind.points(setting);
  const auto all = static_cast<std::int64_t>(points.size());
  const auto report = [&](std::int64_t done, const std::string& next) {
    if (options.progress) {
      options.progress(done, all, next);
    }
  };
  std::int64_t done = 0;
  for (const StudyPoint& point : points) {
    if (!study["points"].contains(point.name)) {
      check_stop(options.stop, "study");
      report(done, point.name);
      Json measured;
      const double seconds = seconds_of([&] { measured = point.measure(); });
      measured["seconds"] = seconds;
      study["points"][point.name] = measured;
      write_study(kind, options, study);
    }
    ++done;
  }
  write_study(kind, options, study);
  report(done, "");
  return study;
}

}  // namespace yona
