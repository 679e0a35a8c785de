// What the APIs ask of the encoders and image classifiers behind them: vectors and labels.
// serve/engine/encoder_engine.h answers with real models; tests of the API answer with a made-up
// one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yona/encode/encoder_answers.h"
#include "yona/serve/results_job.h"

namespace yona::serve {

struct EncoderSummary {
  std::string id{};      // the folder's name
  std::string family{};  // "bert"
  std::int64_t layers = 0, heads = 0, d_model = 0;
  std::int64_t vocabulary = 0;        // 0: it takes pictures
  std::int64_t context = 0;           // tokens of a text at most; of a picture
  std::vector<std::string> labels{};  // of the classifier; empty: there is none
  bool is_regression = false;         // its one value is not a probability

  bool takes_pictures() const { return vocabulary == 0; }
};

// Of one text or picture: a vector, or labels.
struct EncoderResult {
  std::vector<float> vector{};
  std::vector<LabelScore> labels{};  // the most probable first
  std::int64_t tokens = 0;
  bool is_cut = false;  // was the text longer than the model takes?
};

// One request. One of the lists is not empty.
class EncoderJob : public ResultsJob<EncoderResult> {
 public:
  enum class Wants : std::uint8_t { vectors, labels };

  std::string model;
  Wants wants = Wants::vectors;
  std::vector<TextSegments> texts{};
  std::vector<std::vector<std::int32_t>> ids{};  // tokens of texts; vectors alone
  std::vector<std::string> pictures{};           // PNG or JPEG; labels alone
  EmbedTextOptions options{};

  std::size_t size() const override { return texts.size() + ids.size() + pictures.size(); }
};

class EncoderService {
 public:
  EncoderService() = default;
  virtual ~EncoderService() = default;
  EncoderService(const EncoderService&) = delete;
  EncoderService& operator=(const EncoderService&) = delete;

  virtual std::vector<EncoderSummary> encoders() const = 0;
  // Throws HttpError 404 for a model that is not there, 503 when there is too much to do. What is
  // wrong with the input comes through failed().
  virtual void submit(std::shared_ptr<EncoderJob> job) = 0;
  // Would it be refused anyway?
  virtual bool is_full() const = 0;
};

}  // namespace yona::serve
