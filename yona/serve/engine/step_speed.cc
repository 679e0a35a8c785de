#include "yona/serve/engine/step_speed.h"

#include <algorithm>

#include "yona/base/timing.h"

namespace yona::serve {

namespace {

// Ends each search after a few steps.
class FewSteps : public SearchWatch {
 public:
  explicit FewSteps(std::size_t searches) : left_(searches, kSteps) {}

  bool stepped(std::size_t request, std::span<const Candidate> /*candidates*/,
               const SentenceSearch& /*search*/) override {
    return --left_[request] > 0;
  }

 private:
  static constexpr int kSteps = 3;
  std::vector<int> left_;
};

}  // namespace

std::int64_t products_of_row(const TransformerConfig& config) {
  const std::int64_t d = config.d_model;
  return std::max(6 * d * d + 2 * d * config.d_ff, config.target_vocabulary * d);
}

std::int64_t products_of_step(std::int64_t products, double seconds) {
  constexpr double kSeconds = 0.025;
  constexpr double kTimes = 4;
  constexpr auto kUsual = static_cast<double>(kUsualProducts);
  const double speed = static_cast<double>(products) / std::max(seconds, 1e-9);
  return static_cast<std::int64_t>(std::clamp(kSeconds * speed, kUsual / kTimes, kUsual * kTimes));
}

std::int64_t measured_products(const TranslationModel& model, Backend& backend,
                               DecodeOptions options) {
  constexpr std::int64_t kBeams = 4;
  constexpr std::int64_t kMostRows = 256;
  constexpr int kRuns = 2;  // the first also makes room for its numbers
  options.beam = kBeams;
  options.n_best = 1;
  const std::int64_t each = products_of_row(model.info().config);
  const std::int64_t rows = std::clamp(kUsualProducts / each / 4, kBeams, kMostRows);
  const std::vector<TranslationRequest> requests(static_cast<std::size_t>(rows / kBeams),
                                                 {.text = "a"});
  Clock::time_point last{};
  double longest = 0;
  TextOptions text;
  text.preempt = [&](Backend& /*backend*/) {
    const Clock::time_point now = Clock::now();
    longest = std::max(longest, std::chrono::duration<double>(now - last).count());
    last = now;
  };
  Translator translator({&model}, backend, options, text);
  double least = 1e9;
  for (int run = 0; run < kRuns; ++run) {
    FewSteps watch(requests.size());
    last = Clock::now();
    longest = 0;
    translator.n_best(requests, &watch);
    least = std::min(least, longest);
  }
  return products_of_step(rows / kBeams * kBeams * each, least);
}

}  // namespace yona::serve
