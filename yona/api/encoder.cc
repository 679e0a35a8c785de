#include "yona/api/encoder.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/decode/compute_type.h"
#include "yona/decode/worker_backends.h"
#include "yona/encode/encoder_model.h"
#include "yona/io/model_kind.h"

namespace yona {

// A backend, and the model on it.
class EncoderRuntime {
 public:
  EncoderRuntime(const std::filesystem::path& folder, const WorkerChoice& workers,
                 const ComputeType& type)
      : workers_(worker_backends(workers)),
        model_(EncoderModel::load(folder, *workers_.backends.front(), type.packing_of(folder),
                                  type.precision)) {}

  EncoderModel& model() { return *model_; }

 private:
  WorkerBackends workers_;
  std::unique_ptr<EncoderModel> model_;
};

TextEncoder::TextEncoder(std::unique_ptr<EncoderRuntime> runtime) : runtime_(std::move(runtime)) {}
TextEncoder::~TextEncoder() = default;
TextEncoder::TextEncoder(TextEncoder&& other) noexcept = default;
TextEncoder& TextEncoder::operator=(TextEncoder&& other) noexcept = default;

TextEncoder TextEncoder::load(const std::filesystem::path& folder, const LoadOptions& options) {
  check(options.device == "cpu" || options.device == "cuda",
        "device: expected cpu or cuda, got '{}'", options.device);
  check_model_kind(folder, ModelKind::encoder, "this");
  return TextEncoder(std::make_unique<EncoderRuntime>(
      folder, WorkerChoice{options.device, options.threads, 1},
      choose_compute_type(options.compute_type, options.device, "compute_type")));
}

bool TextEncoder::is_encoder(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(folder / "config.json", error) &&
         read_model_kind(folder) == ModelKind::encoder;
}

EncoderDetails TextEncoder::details() const {
  const EncoderModel& model = runtime_->model();
  const EncoderInfo& info = model.info();
  const BertConfig& config = info.config;
  const std::int32_t mask = model.tokenizer().special().mask;
  const SentenceSettings& sentences = model.sentence_settings();
  EncoderDetails details{.family = info.family,
                         .labels = info.labels,
                         .is_regression = info.problem == Problem::regression,
                         .fills_masks = config.masked_lm,
                         .mask = mask >= 0 ? model.tokenizer().piece(mask) : "",
                         .parameters = model.parameter_count(),
                         .layers = config.layers,
                         .d_model = config.d_model,
                         .d_ff = config.d_ff,
                         .heads = config.heads,
                         .vocabulary = config.vocabulary,
                         .max_positions = config.max_positions,
                         .pooling = sentences.pooling == Pooling::mean  ? "mean"
                                    : sentences.pooling == Pooling::cls ? "cls"
                                                                        : "max"};
  for (const auto& entry : sentences.prompts) {
    details.prompts.push_back(entry.first);
  }
  return details;
}

std::vector<ClassifiedText> TextEncoder::classify(const std::vector<TextSegments>& texts) const {
  return runtime_->model().classify(texts);
}

std::vector<EmbeddedText> TextEncoder::embed(const std::vector<std::string>& texts,
                                             const EmbedTextOptions& options) const {
  return runtime_->model().embed(texts, options);
}

std::vector<FilledMask> TextEncoder::fill(const std::string& text, std::int64_t top) const {
  return runtime_->model().fill(text, top);
}

}  // namespace yona
