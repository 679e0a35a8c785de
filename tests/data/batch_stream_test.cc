// The stream of batches: endless, resumable at every batch, divided over ranks, and clean at its
// end.

#include "yona/data/batch_stream.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/batches.h"
#include "yona/data/parallel_text.h"
#include "yona/data/token_cache_format.h"

#include "tests/data/sample_corpus.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_corpus;
using testing::sample_subwords;
using testing::TempDir;

struct Seen {
  std::int64_t epoch;
  std::int64_t index;
  std::vector<std::uint64_t> sentences;
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;
  BatchPosition after;
  bool operator==(const Seen&) const = default;
};

class BatchStreamTest : public ::testing::Test {
 protected:
  std::shared_ptr<const ParallelText> open(const ParallelTextOptions& options = {}) {
    return std::make_shared<const ParallelText>(
        ParallelText::open({sample_corpus(folder_.path(), "a", 60)}, sample_subwords(), options,
                           folder_ / "cache", pool_));
  }
  std::filesystem::path cache_file() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cache")) {
      if (entry.path().extension() == ".tokens") {
        return entry.path();
      }
    }
    return {};
  }
  static std::vector<Seen> take(BatchStream& stream, int count) {
    std::vector<Seen> seen;
    Batch batch;
    while (count-- > 0 && stream.next(batch)) {
      seen.push_back({batch.epoch, batch.index, batch.example_ids, batch.sides[kSource].ids,
                      batch.sides[kTarget].ids, stream.position()});
    }
    return seen;
  }

  TempDir folder_;
  ThreadPool pool_{2};
};

TEST_F(BatchStreamTest, GivesThePlannedBatchesEpochAfterEpoch) {
  const auto dataset = open();
  const BatchOptions options{.batch_tokens = 200, .seed = 3};
  BatchStream stream = BatchStream::training(dataset, options);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
    const BatchPlan plan = BatchPlan::shuffled(*dataset, 200, 3, epoch);
    EXPECT_EQ(stream.epoch_batches(), plan.batches());
    const std::vector<Seen> seen = take(stream, static_cast<int>(plan.batches()));
    for (std::int64_t index = 0; index < plan.batches(); ++index) {
      const Seen& batch = seen[static_cast<std::size_t>(index)];
      EXPECT_EQ(batch.epoch, epoch);
      EXPECT_EQ(batch.index, index);
      const auto planned = plan.batch(index);
      ASSERT_EQ(batch.sentences.size(), planned.size());
      for (std::size_t at = 0; at < planned.size(); ++at) {
        EXPECT_EQ(batch.sentences[at], example_id(0, planned[at]));
      }
    }
    EXPECT_EQ(stream.position(), (BatchPosition{epoch + 1, 0}));
  }
}

TEST_F(BatchStreamTest, ResumingAtAnyBatchGivesTheRestOfTheRun) {
  for (const std::optional<double> sampling : {std::optional<double>(), std::optional(0.2)}) {
    const auto dataset = open({.sampling = sampling});
    const BatchOptions options{.batch_tokens = 300, .seed = 3};
    BatchStream stream = BatchStream::training(dataset, options);
    const std::vector<Seen> whole = take(stream, 40);
    for (std::size_t stop = 0; stop < 30; ++stop) {
      const BatchPosition position = stop == 0 ? BatchPosition{} : whole[stop - 1].after;
      BatchStream resumed = BatchStream::training(dataset, options, position);
      EXPECT_EQ(resumed.position(), position);
      EXPECT_EQ(take(resumed, 10),
                (std::vector<Seen>(whole.begin() + static_cast<long>(stop),
                                   whole.begin() + static_cast<long>(stop) + 10)));
    }
  }
}

TEST_F(BatchStreamTest, TheEndOfAnEpochIsAPositionToo) {
  const auto dataset = open();
  const BatchPlan plan = BatchPlan::shuffled(*dataset, 300, 1, 0);
  BatchStream stream =
      BatchStream::training(dataset, {.batch_tokens = 300}, {.epoch = 0, .index = plan.batches()});
  const std::vector<Seen> seen = take(stream, 1);
  EXPECT_EQ(seen[0].epoch, 1);
  EXPECT_EQ(seen[0].index, 0);
}

TEST_F(BatchStreamTest, RanksDivideTheBatchesBetweenThem) {
  const auto dataset = open();
  BatchStream alone = BatchStream::training(dataset, {.batch_tokens = 300, .seed = 3});
  const std::vector<Seen> whole = take(alone, 60);
  for (const int world : {2, 3, 7}) {
    std::vector<BatchPosition> positions;
    for (int rank = 0; rank < world; ++rank) {
      BatchOptions options{.batch_tokens = 300, .seed = 3, .rank = rank, .world_size = world};
      BatchStream stream = BatchStream::training(dataset, options);
      const std::vector<Seen> seen = take(stream, 60 / world);
      for (std::size_t at = 0; at < seen.size(); ++at) {
        const Seen& expected =
            whole[at * static_cast<std::size_t>(world) + static_cast<std::size_t>(rank)];
        EXPECT_EQ(seen[at].sentences, expected.sentences);
        EXPECT_EQ(seen[at].epoch, expected.epoch);
        EXPECT_EQ(seen[at].index, expected.index);
      }
      // Every rank stands at the same place: behind the group.
      EXPECT_EQ(seen.back().after, whole[seen.size() * static_cast<std::size_t>(world) - 1].after);
    }
  }
}

TEST_F(BatchStreamTest, RanksShareGroupsThatTheyDoNotDivide) {
  const auto dataset = open();
  BatchStream alone = BatchStream::training(dataset, {.batch_tokens = 300, .seed = 3});
  const std::vector<Seen> whole = take(alone, 60);
  constexpr std::size_t kGroup = 5;
  for (const std::size_t world : {1, 2, 3, 5}) {
    for (std::size_t rank = 0; rank < world; ++rank) {
      BatchStream stream = BatchStream::training(dataset, {.batch_tokens = 300,
                                                           .seed = 3,
                                                           .rank = static_cast<int>(rank),
                                                           .world_size = static_cast<int>(world),
                                                           .group = kGroup});
      for (std::size_t first = 0; first + kGroup <= whole.size(); first += kGroup) {
        BatchPosition after;
        for (std::size_t number = rank; number < kGroup; number += world) {
          const Seen seen = take(stream, 1).front();
          EXPECT_EQ(seen.sentences, whole[first + number].sentences);
          EXPECT_EQ(seen.epoch, whole[first + number].epoch);
          after = seen.after;
        }
        EXPECT_EQ(after, whole[first + kGroup - 1].after);
      }
    }
  }
}

TEST_F(BatchStreamTest, ValidationPassesOnceInTheOrderOfTheFiles) {
  const auto dataset = open();
  for (int round = 0; round < 2; ++round) {
    BatchStream stream = BatchStream::validation(dataset, 200);
    std::vector<std::uint64_t> sentences;
    for (const Seen& batch : take(stream, 1000)) {
      EXPECT_EQ(batch.epoch, 0);
      sentences.insert(sentences.end(), batch.sentences.begin(), batch.sentences.end());
    }
    EXPECT_EQ(sentences.size(), 60U);
    EXPECT_TRUE(std::is_sorted(sentences.begin(), sentences.end()));
    Batch batch;
    EXPECT_FALSE(stream.next(batch));
  }
}

TEST_F(BatchStreamTest, StorageGoesRoundInTheSteadyState) {
  const auto dataset = open();
  BatchStream stream = BatchStream::training(dataset, {.batch_tokens = 200, .prefetch = 2});
  Batch batch;
  for (int step = 0; step < 300; ++step) {
    stream.next(batch);
  }
  std::set<const void*> buffers;
  for (int step = 0; step < 300; ++step) {
    stream.next(batch);
    buffers.insert(batch.sides[kSource].ids.data());
  }
  EXPECT_LE(buffers.size(), 3U);  // two slots and the caller's
}

TEST_F(BatchStreamTest, EndsCleanlyWhileBatchesAreBeingPrepared) {
  const auto dataset = open();
  for (int round = 0; round < 50; ++round) {
    BatchStream stream = BatchStream::training(dataset, {.batch_tokens = 50, .prefetch = 1});
    Batch batch;
    for (int step = 0; step < round % 5; ++step) {
      EXPECT_TRUE(stream.next(batch));
    }
    BatchStream moved = std::move(stream);
    EXPECT_TRUE(moved.next(batch));
  }
}

TEST_F(BatchStreamTest, AFaultWhilePreparingReachesTheCaller) {
  // Ids beyond the vocabulary, under checksums that agree.
  const CorpusSpec corpus = sample_corpus(folder_.path(), "a", 60);
  const auto open_corpus = [&] {
    return std::make_shared<const ParallelText>(
        ParallelText::open({corpus}, sample_subwords(), {}, folder_ / "cache", pool_));
  };
  open_corpus();
  const std::filesystem::path path = cache_file();
  std::string bytes = testing::read_bytes(path);
  TokenCacheFooter footer;
  char* end = bytes.data() + bytes.size() - sizeof(footer);
  std::memcpy(&footer, end, sizeof(footer));
  const TokenCacheLayout layout(footer);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(layout.payload), 2000, '\xFF');
  footer.payload_checksum = checksum(
      std::string_view(bytes).substr(layout.payload, footer.elements * footer.element_bytes));
  footer.footer_checksum = checksum(
      {reinterpret_cast<const char*>(&footer), offsetof(TokenCacheFooter, footer_checksum)});
  std::memcpy(end, &footer, sizeof(footer));
  testing::write_bytes(path, bytes);
  BatchStream stream = BatchStream::validation(open_corpus(), 200);
  Batch batch;
  EXPECT_THAT(message_of<FormatError>([&] {
                while (stream.next(batch)) {
                }
              }),
              HasSubstr("is damaged; delete it and start again"));
}

TEST_F(BatchStreamTest, GoesOnWhenTheCacheIsCutUnderIt) {
  const auto dataset = open();
  const auto batches = [&] {
    BatchStream stream = BatchStream::validation(dataset, 200);
    Batch batch;
    std::int64_t tokens = 0;
    while (stream.next(batch)) {
      tokens += batch.sides[kSource].rows();
    }
    return tokens;
  };
  const std::int64_t whole = batches();
  std::filesystem::resize_file(cache_file(), 100);
  EXPECT_EQ(batches(), whole);
}

TEST_F(BatchStreamTest, RefusesPositionsAndOptionsThatDoNotExist) {
  const auto dataset = open();
  const auto refusal = [&](const BatchOptions& options, BatchPosition position = {}) {
    return message_of<InvalidArgument>([&] { BatchStream::training(dataset, options, position); });
  };
  EXPECT_THAT(refusal({}, {0, 100000}), HasSubstr("there is no batch 100000 in epoch 0"));
  EXPECT_THAT(refusal({}, {0, -1}), HasSubstr("there is no batch -1"));
  EXPECT_THAT(refusal({}, {-1, 0}), HasSubstr("there is no epoch -1"));
  EXPECT_THAT(refusal({.rank = 2, .world_size = 2}), HasSubstr("rank 2 of 2 does not exist"));
  EXPECT_THAT(refusal({.rank = 1, .world_size = 2, .group = 1}),
              HasSubstr("rank 1 has no batch in groups of 1"));
  EXPECT_THAT(refusal({.prefetch = 0}), HasSubstr("prefetch is 0"));
  EXPECT_THAT(refusal({.batch_tokens = 0}), HasSubstr("is impossible"));
}

}  // namespace
}  // namespace yona
