#include "yona/decode/worker_backends.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/thread_pool.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(WorkerBackends, ShareTheCpus) {
  const WorkerBackends one = worker_backends({.threads = 1});
  ASSERT_EQ(one.places.size(), 1U);
  EXPECT_EQ(one.places[0].cpu, -1);  // alone it may run anywhere
  const WorkerBackends three = worker_backends({.threads = 2, .workers = 3});
  ASSERT_EQ(three.places.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(three.places[i].backend, three.backends[i].get());
    EXPECT_EQ(three.places[i].cpu, static_cast<int>(2 * i));
  }
  const WorkerBackends shared = worker_backends({.workers = 2});
  EXPECT_EQ(shared.places[1].cpu, std::max(1, available_cpus() / 2));
}

TEST(WorkerBackends, SayWhatTheyCannotBe) {
  const auto refused = [](const WorkerChoice& choice) {
    return message_of<InvalidArgument>([&] { worker_backends(choice); });
  };
  EXPECT_EQ(refused({.device = "tpu"}), "device: expected cpu or cuda, got 'tpu'");
  EXPECT_EQ(refused({.device = "cuda", .workers = 2}), "workers: a GPU takes one, got 2");
  EXPECT_EQ(refused({.workers = 0}), "workers: 0 is below 1");
}

TEST(WorkerBackends, HaveLargerBatchesOnAGpu) {
  EXPECT_EQ(default_batch_tokens("cpu"), 4096);
  EXPECT_EQ(default_batch_tokens("cuda"), 65536);
  EXPECT_EQ(parse_batch_tokens("cpu", 1), 512);
  EXPECT_EQ(parse_batch_tokens("cpu", 21), 2048);
  EXPECT_EQ(parse_batch_tokens("cuda", 21), 65536);
}

}  // namespace
}  // namespace yona::testing
