// Whole runs on the device: what an update comes to is read while the next one is under way, and a
// resumed run goes on with the algorithms that it began with.

#include <cstdlib>
#include <vector>

#include "yona/io/checkpoints.h"
#include "yona/train/progress.h"

#include "tests/harness/op_case.h"
#include "tests/train/toy_run.h"

namespace yona {
namespace {

using testing::read_bytes;

// What a run reports, in order; 0 stands for a validation.
class Heard : public Reporter {
 public:
  void updated(const UpdateReport& report) override {
    order.push_back(report.update);
    losses.push_back(report.loss);
    norms.push_back(report.gradient_norm);
  }
  void validated(const ValidationReport& /*report*/) override { order.push_back(0); }

  std::vector<std::int64_t> order;
  std::vector<double> losses, norms;
};

class CudaTrainer : public testing::ToyRun {
 protected:
  void SetUp() override {
    if (!testing::has_cuda()) {
      GTEST_SKIP() << "no GPU";
    }
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache-home").c_str(), 1);
  }
  void run(const RunConfig& config, const std::string& name, const std::string& device,
           bool resume = false, Reporter* reporter = nullptr) {
    train(config, {.output = folder_ / name,
                   .resume = resume,
                   .init = {},
                   .device = device,
                   .reporter = reporter});
  }
};

TEST_F(CudaTrainer, ReportsWhatTheCpuReportsInTheSameOrder) {
  Heard host;
  Heard device;
  run(config(), "host", "cpu", false, &host);
  run(config(), "device", "cuda", false, &device);
  const std::vector<std::int64_t> order = {1, 2, 3, 4, 5, 6, 0, 7, 8, 9, 10, 11, 12, 0};
  EXPECT_EQ(host.order, order);
  EXPECT_EQ(device.order, order);
  ASSERT_EQ(device.losses.size(), host.losses.size());
  for (std::size_t i = 0; i < host.losses.size(); ++i) {
    EXPECT_NEAR(device.losses[i], host.losses[i], 2e-4 * host.losses[i]) << "update " << i + 1;
    EXPECT_NEAR(device.norms[i], host.norms[i], 2e-3 * host.norms[i]) << "update " << i + 1;
  }
}

TEST_F(CudaTrainer, GoesOnAsIfItHadNeverStopped) {
  RunConfig whole = config();
  whole.train.precision = Precision::bf16;
  run(whole, "straight", "cuda");
  RunConfig first = whole;
  first.train.schedule.kind = ScheduleKind::paper;  // does not depend on train.updates
  first.train.updates = 8;
  run(first, "resumed", "cuda");
  std::filesystem::remove_all(folder_ / "resumed/checkpoints/step-8");
  ::setenv("XDG_CACHE_HOME", (folder_ / "another-home").c_str(), 1);  // nothing is known there
  run(whole, "resumed", "cuda", true);
  for (const char* file : {"model.safetensors", "optimizer.safetensors", "state.json"}) {
    const std::string path = std::string("checkpoints/step-12/") + file;
    EXPECT_EQ(read_bytes(folder_ / "straight" / path), read_bytes(folder_ / "resumed" / path))
        << path;
  }
}

}  // namespace
}  // namespace yona
