// What a training run says while it runs: the trainer reports events, and a Reporter shows them: as
// a line redrawn on a terminal, as plain lines, as JSON lines, or not at all.
//
// The trainer reports raw values of every update and calls from one thread; a reporter averages,
// derives (perplexity, tokens/s, time left) and decides how often to show.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

struct RunPlan {                          // known before the first update
  std::string model{};                    // "tiny", or what else names it
  std::int64_t parameters = 0;            // all of them
  std::int64_t frozen_parameters = 0;     // of these
  std::int64_t input_vocabulary = 0;      // pieces, <pad> included
  std::int64_t output_vocabulary = 0;     // pieces or labels
  std::int64_t examples = 0;              // of an epoch, weights counted
  std::string example_name = "examples";  // what the task calls several
  std::int64_t peak_memory_bytes = 0;     // predicted; 0: unknown
  std::int64_t device_memory_bytes = 0;   // that the device has; 0: unknown
  std::int64_t first_update = 0;          // updates done already: above 0 when resuming
  std::int64_t updates = 0;               // after which the run is expected to end; 0: unknown
  std::int64_t epochs = 0;                // that end it before train.updates do; 0: they do not
  double seconds = 0;                     // that the updates are expected to take; 0: unknown
  double passes = 0;                      // over the data; 0: unknown
  bool timed = false;                     // the updates were chosen to fit a time
  std::int64_t batch_tokens = 0;          // per micro-batch
  std::int64_t accumulate = 1;            // micro-batches per update
  std::string device = "cpu";
  int threads = 1;  // of each process
  int ranks = 1;    // processes that train together
  std::string precision = "f32";
  std::filesystem::path output{};
};

struct UpdateReport {
  std::int64_t update = 0;   // from 1
  std::int64_t updates = 0;  // as in the plan; with epochs an estimate, exact in the last of them
  std::int64_t epoch = 0;    // from 0
  double loss = 0.0;         // what is minimised, per prediction: label smoothing counted
  double nll = 0.0;          // nats per prediction without smoothing
  std::int64_t input_tokens = 0;  // or rows of pictures
  std::int64_t predictions = 0;   // that the loss counts: tokens, labels
  double learning_rate = 0.0;
  double gradient_norm = 0.0;  // before clipping
  double step_seconds = 0.0;   // of this update, its data included; validation and saving are not
  double seconds = 0.0;        // since the run (or its resumption) began, everything counted
  bool skipped = false;        // the loss was not finite and the weights stayed as they were

  double perplexity() const { return std::exp(nll); }
};

struct ValidationFigure {  // what the task measures besides the loss
  std::string name;        // as in train.valid_metrics: "accuracy", "f1"
  double value = 0.0;
};

struct ValidationReport {
  std::string set = "valid";
  std::int64_t update = 0;
  double loss = 0.0;           // nats per prediction, no smoothing
  double nats_per_byte = 0.0;  // of the predicted text: comparable between vocabularies
  std::int64_t predictions = 0;
  std::vector<ValidationFigure> figures{};  // those of train.valid_metrics
  double seconds = 0.0;                     // that validating took
  bool is_best = false;                     // the best so far by the set that decides

  double perplexity() const { return std::exp(loss); }
};

struct OutputSample {
  std::string input, expected, output;
  std::vector<std::vector<float>> attention{};  // [output token][input token]
};

struct SamplesReport {
  std::int64_t update = 0;
  std::vector<OutputSample> samples{};
};

struct FinishReport {
  std::int64_t updates = 0;  // done in all
  double best_loss = 0.0;    // of the set that decides; NaN when it was never computed
  std::int64_t best_update = 0;
  std::string best_by = "loss";  // what decided: loss or one of train.valid_metrics
  double best_score = 0.0;       // that of the best
  double seconds = 0.0;
  bool stopped_early = false;  // patience ran out
  bool interrupted = false;    // Ctrl-C or SIGTERM: saved, and can be resumed
  std::filesystem::path output{};
};

enum class MessageLevel : std::uint8_t { info, warning, error };

// The default of every event is to say nothing, so this class is itself the quiet one.
class Reporter {
 public:
  Reporter() = default;
  virtual ~Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  virtual void started(const RunPlan& /*plan*/) {}
  virtual void updated(const UpdateReport& /*report*/) {}
  virtual void validated(const ValidationReport& /*report*/) {}
  virtual void sampled(const SamplesReport& /*report*/) {}
  virtual void saved(std::int64_t /*update*/, const std::filesystem::path& /*checkpoint*/) {}
  virtual void message(MessageLevel /*level*/, std::string_view /*text*/) {}
  virtual void finished(const FinishReport& /*report*/) {}
};

// bar     one line redrawn on a terminal; plain where standard error is none
// plain   a line on standard error every log_every updates
// quiet   warnings and errors alone
// json    one object a line on standard output: docs/command-line.md has the fields
enum class ProgressStyle : std::uint8_t { bar, plain, quiet, json };

// While a bar lives, what log() says is printed above it.
std::unique_ptr<Reporter> make_reporter(ProgressStyle style, std::int64_t log_every);

}  // namespace yona
