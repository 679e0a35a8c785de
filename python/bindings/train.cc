// Training from Python: the run on a thread of its own, its reports handed to a callback on the
// thread that waits.

#include <functional>

#include "yona/base/stop.h"
#include "yona/train/reporters.h"
#include "yona/train/trainer.h"

#include "bindings.h"
#include "worker.h"

namespace yona::python {

namespace {

using namespace py::literals;  // NOLINT(google-build-using-namespace): pybind11's own way

// The fields are those of the classes in python/yona/training.py.
py::dict fields_of(const RunPlan& plan) {
  return py::dict("model"_a = plan.model, "parameters"_a = plan.parameters,
                  "source_vocabulary"_a = plan.source_vocabulary,
                  "target_vocabulary"_a = plan.target_vocabulary, "pairs"_a = plan.pairs,
                  "peak_memory_bytes"_a = plan.peak_memory_bytes,
                  "first_update"_a = plan.first_update, "updates"_a = plan.updates,
                  "device"_a = plan.device, "threads"_a = plan.threads,
                  "precision"_a = plan.precision);
}

py::dict fields_of(const UpdateReport& report) {
  return py::dict(
      "update"_a = report.update, "updates"_a = report.updates, "epoch"_a = report.epoch,
      "loss"_a = report.loss, "nll"_a = report.nll, "source_tokens"_a = report.source_tokens,
      "target_tokens"_a = report.target_tokens, "learning_rate"_a = report.learning_rate,
      "gradient_norm"_a = report.gradient_norm, "step_seconds"_a = report.step_seconds,
      "seconds"_a = report.seconds, "skipped"_a = report.skipped);
}

py::dict fields_of(const ValidationReport& report) {
  py::dict figures;
  for (const ValidationFigure& figure : report.figures) {
    figures[py::str(figure.name)] = figure.value;
  }
  return py::dict("name"_a = report.set, "update"_a = report.update, "loss"_a = report.loss,
                  "nats_per_byte"_a = report.nats_per_byte,
                  "target_tokens"_a = report.target_tokens, "figures"_a = figures,
                  "seconds"_a = report.seconds, "is_best"_a = report.is_best);
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

struct TrainRequest {
  std::string config;                         // a file, or empty
  std::vector<ConfigAssignment> assignments;  // key, value, what the user wrote
  std::vector<std::string> sources, targets, tsv;
  std::vector<ValidationSet> valid;
  TrainerOptions options;
};

RunConfig config_of(const TrainRequest& request) {
  std::string file = request.config;
  const std::filesystem::path recorded = request.options.output / "config.yaml";
  if (request.options.resume && file.empty() && std::filesystem::exists(recorded)) {
    file = recorded;  // a resumed run goes by the configuration that it began with
  }
  RunConfig config = resolve_config(file, request.assignments);
  if (!request.sources.empty() || !request.tsv.empty()) {
    CorpusSpec corpus;
    corpus.source_files.assign(request.sources.begin(), request.sources.end());
    corpus.target_files.assign(request.targets.begin(), request.targets.end());
    corpus.tsv_files.assign(request.tsv.begin(), request.tsv.end());
    config.data.corpora = {std::move(corpus)};
  }
  if (!request.valid.empty()) {
    config.data.valid = request.valid;
  }
  check_run_config(config);
  return config;
}

py::dict train_from(TrainRequest request, const py::function& event) {
  Worker worker;
  CallbackReporter reporter(worker, event);
  request.options.reporter = &reporter;
  request.options.stop = &worker.stop();
  TrainResult result;
  worker.run([&] {
    RunConfig config = config_of(request);
    for (const std::string& warning : config_warnings(config)) {
      reporter.message(MessageLevel::warning, warning);
    }
    result = train(std::move(config), request.options);
  });
  return py::dict("updates"_a = result.updates, "best_loss"_a = result.best_loss,
                  "stopped_early"_a = result.stopped_early || result.interrupted);
}

TrainRequest request_of(const py::dict& given) {
  TrainRequest request;
  take(given, "config", "a path", request.config);
  take(given, "train_src", "paths", request.sources);
  take(given, "train_tgt", "paths", request.targets);
  take(given, "train_tsv", "paths", request.tsv);
  std::vector<std::array<std::string, 3>> assignments, valid;
  take(given, "assignments", "triples", assignments);
  take(given, "valid", "triples", valid);
  for (const auto& [key, value, origin] : assignments) {
    request.assignments.push_back({key, value, origin});
  }
  for (const auto& [name, source, target] : valid) {
    request.valid.push_back({.name = name, .source = source, .target = target});
  }
  std::string output, init;
  take(given, "output", "a path", output);
  take(given, "init", "a path", init);
  request.options.output = output;
  request.options.init = init;
  take(given, "resume", kTrueOrFalse, request.options.resume);
  take(given, "allow_changes", kTrueOrFalse, request.options.allow_changes);
  take(given, "device", "cpu or cuda", request.options.device);
  take(given, "threads", kInteger, request.options.threads);
  return request;
}

}  // namespace

void bind_train(py::module_& module) {
  module.def(
      "train",
      [](const py::dict& given, const py::function& event) {
        return train_from(request_of(given), event);
      },
      py::arg("request"), py::arg("event"));
}

}  // namespace yona::python
