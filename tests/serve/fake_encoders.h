// Made-up encoders for tests of their API: a text's vector has its length, its first byte and a
// one; its labels are "long" and "short".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/serve/application.h"
#include "yona/serve/encoder_service.h"

#include "tests/serve/fake_service.h"

namespace yona::testing {

class FakeEncoders : public serve::EncoderService {
 public:
  std::vector<serve::EncoderSummary> encoders() const override { return summaries; }
  bool is_full() const override { return full; }
  void submit(std::shared_ptr<serve::EncoderJob> job) override {
    last = job;
    if (refusal) {
      std::rethrow_exception(refusal);
    }
    if (error) {
      job->fail(error);
    }
    for (std::size_t i = job->size(); i-- > 0;) {  // in any order
      job->finish(i, result_of(*job, i));
    }
  }

  std::vector<serve::EncoderSummary> summaries{{.id = "toy",
                                                .family = "bert",
                                                .layers = 2,
                                                .heads = 4,
                                                .d_model = 3,
                                                .vocabulary = 50,
                                                .context = 16,
                                                .labels = {"long", "short"}}};
  std::shared_ptr<serve::EncoderJob> last;
  std::exception_ptr refusal;  // of submit()
  std::exception_ptr error;
  bool full = false;

 private:
  static serve::EncoderResult result_of(const serve::EncoderJob& job, std::size_t i) {
    const std::string text = !job.texts.empty()
                                 ? job.texts[i].first + job.texts[i].second.value_or("")
                             : !job.ids.empty() ? std::string(job.ids[i].size(), '#')
                                                : job.pictures[i];
    const double share = text.size() > 3 ? 0.75 : 0.25;
    serve::EncoderResult result{
        .vector = {static_cast<float>(text.size()), static_cast<float>(text.front()), 1.0F},
        .labels = {{"long", share}, {"short", 1 - share}},
        .tokens = static_cast<std::int64_t>(text.size()),
        .is_cut = text.size() > 10};
    if (share < 0.5) {
      std::swap(result.labels[0], result.labels[1]);
    }
    return result;
  }
};

struct WithFakeEncoders {
  FakeEncoders encoders;
};

// An application over made-up encoders, asked without a network.
class FakeEncoderServer : public WithFakeEncoders, public FakeServer {
 public:
  explicit FakeEncoderServer(serve::TextLimits limits = {})
      : FakeServer(FakeParts{.limits = limits, .encoding = &encoders}) {}

  std::shared_ptr<FakeExchange> embed(const Json& body) { return post("/v1/embeddings", body); }
  std::shared_ptr<FakeExchange> classify(const Json& body) { return post("/v1/classify", body); }
};

}  // namespace yona::testing
