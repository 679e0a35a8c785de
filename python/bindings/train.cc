// Training from Python: the run on a thread of its own, its reports handed to a callback on the
// thread that waits.

#include "yona/api/train.h"

#include <array>
#include <functional>

#include "yona/base/stop.h"

#include "bindings.h"
#include "worker.h"

namespace yona::python {

namespace {

using namespace py::literals;  // NOLINT(google-build-using-namespace): pybind11's own way

// The fields are those of the classes in python/yona/training.py.
py::dict fields_of(const RunPlan& plan) {
  return py::dict(
      "model"_a = plan.model, "parameters"_a = plan.parameters,
      "source_vocabulary"_a = plan.input_vocabulary, "target_vocabulary"_a = plan.output_vocabulary,
      "pairs"_a = plan.examples, "peak_memory_bytes"_a = plan.peak_memory_bytes,
      "first_update"_a = plan.first_update, "updates"_a = plan.updates, "device"_a = plan.device,
      "threads"_a = plan.threads, "precision"_a = plan.precision);
}

py::dict fields_of(const UpdateReport& report) {
  return py::dict("update"_a = report.update, "updates"_a = report.updates,
                  "epoch"_a = report.epoch, "loss"_a = report.loss, "nll"_a = report.nll,
                  "source_tokens"_a = report.input_tokens, "target_tokens"_a = report.predictions,
                  "learning_rate"_a = report.learning_rate,
                  "gradient_norm"_a = report.gradient_norm, "step_seconds"_a = report.step_seconds,
                  "seconds"_a = report.seconds, "skipped"_a = report.skipped);
}

py::dict fields_of(const ValidationReport& report) {
  py::dict figures;
  for (const ValidationFigure& figure : report.figures) {
    figures[py::str(figure.name)] = figure.value;
  }
  return py::dict("name"_a = report.set, "update"_a = report.update, "loss"_a = report.loss,
                  "nats_per_byte"_a = report.nats_per_byte, "target_tokens"_a = report.predictions,
                  "figures"_a = figures, "seconds"_a = report.seconds,
                  "is_best"_a = report.is_best);
}

// Hands events to `event(kind, fields)`, which says whether the run should end. Before the first
// update nothing is lost by ending at once, so a run that should stop is left by an exception then;
// later the trainer saves first.
class CallbackReporter : public Reporter {
 public:
  CallbackReporter(Worker& worker, py::function event)
      : worker_(worker), event_(std::move(event)) {}

  void started(const RunPlan& plan) override {
    tell("started", [&] { return fields_of(plan); });
    check_stop(&worker_.stop(), "train");
  }
  void updated(const UpdateReport& report) override {
    tell("update", [&] { return fields_of(report); });
  }
  void validated(const ValidationReport& report) override {
    tell("validation", [&] { return fields_of(report); });
  }
  void message(MessageLevel level, std::string_view text) override {
    tell("message", [&] {
      return py::dict("warning"_a = level != MessageLevel::info, "text"_a = text_of(text));
    });
    if (!has_started_) {
      check_stop(&worker_.stop(), "train");
    }
  }

 private:
  void tell(const char* kind, const std::function<py::dict()>& fields) {
    has_started_ = has_started_ || kind == std::string_view("update");
    worker_.ask([&] {
      if (event_(kind, fields()).cast<bool>()) {
        worker_.set_stop();
      }
    });
  }

  Worker& worker_;
  py::function event_;
  bool has_started_ = false;
};

py::dict train_with(TrainOptions options, const py::function& event) {
  Worker worker;
  CallbackReporter reporter(worker, event);
  options.stop = &worker.stop();
  TrainSummary summary;
  worker.run([&] { summary = train(options, &reporter); });
  return py::dict("updates"_a = summary.updates, "best_loss"_a = summary.best_loss,
                  "stopped_early"_a = summary.stopped_early || summary.interrupted);
}

std::vector<std::filesystem::path> paths_of(const py::dict& given, const char* key) {
  std::vector<std::string> names;
  take(given, key, "paths", names);
  return {names.begin(), names.end()};
}

std::filesystem::path path_of(const py::dict& given, const char* key) {
  std::string name;
  take(given, key, "a path", name);
  return name;
}

TrainOptions options_of_run(const py::dict& given) {
  TrainOptions options{.output = path_of(given, "output")};
  options.config = path_of(given, "config");
  options.init = path_of(given, "init");
  options.source = paths_of(given, "train_src");
  options.target = paths_of(given, "train_tgt");
  options.tsv = paths_of(given, "train_tsv");
  options.train = paths_of(given, "train");
  options.held_out = path_of(given, "held_out");
  std::vector<std::array<std::string, 3>> assignments, valid;
  take(given, "assignments", "triples", assignments);
  take(given, "valid", "triples", valid);
  for (const auto& [key, value, origin] : assignments) {
    options.settings.push_back({key, value, origin});
  }
  for (const auto& [name, source, target] : valid) {
    options.valid.push_back({.source = source, .target = target, .name = name});
  }
  take(given, "resume", kTrueOrFalse, options.resume);
  take(given, "allow_changes", kTrueOrFalse, options.allow_changes);
  take(given, "device", "cpu or cuda", options.device);
  take(given, "threads", kInteger, options.threads);
  return options;
}

}  // namespace

void bind_train(py::module_& module) {
  module.def(
      "train",
      [](const py::dict& given, const py::function& event) {
        return train_with(options_of_run(given), event);
      },
      py::arg("request"), py::arg("event"));
}

}  // namespace yona::python
