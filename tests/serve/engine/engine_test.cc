#include "yona/serve/engine/engine.h"

#include <atomic>
#include <fstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "yona/decode/generation_config.h"

#include "tests/harness/sanitized.h"
#include "tests/serve/engine/waiting_job.h"

namespace yona {
namespace {

using serve::Engine;
using serve::HttpError;
using testing::best_of;
using testing::engine_options;
using testing::shared_model;
using testing::some_lines;
using testing::waiting_job;

// What `yona translate` gives, one line at a time.
std::vector<std::string> translated_alone(const std::vector<std::string>& lines) {
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(shared_model().path(), *backend, Packing::yes);
  Translator translator({model.get()}, *backend, folder_options(model->folder(), model->info()));
  std::vector<std::string> texts;
  for (const std::string& line : lines) {
    texts.push_back(translator.translate({line}).front());
  }
  return texts;
}

TEST(Engine, TranslatesAsTranslateDoesWhateverTheBatch) {
  Engine engine(engine_options());
  const std::vector<std::string> lines = some_lines(0, 60);
  std::vector<testing::Waiting> jobs;
  for (std::size_t i = 0; i < lines.size();) {
    const std::size_t count = std::min(lines.size() - i, 1 + i % 7);
    jobs.push_back(waiting_job(some_lines(i, count)));
    engine.submit(jobs.back().job);
    i += count;
  }
  std::vector<std::string> answers;
  for (testing::Waiting& waiting : jobs) {
    for (const std::string& text : best_of(waiting.results.get())) {
      answers.push_back(text);
    }
  }
  EXPECT_EQ(answers, translated_alone(lines));
  EXPECT_LT(engine.figures().batches, 60U);
  EXPECT_EQ(engine.figures().sentences, 60U);
}

TEST(Engine, GivesTheSameWithSeveralWorkers) {
  const auto first = make_backend("cpu", {.threads = 1});
  const auto second = make_backend("cpu", {.threads = 1});
  auto options = engine_options();
  options.workers = {{first.get()}, {second.get()}};
  options.batcher.window = std::chrono::milliseconds(100);  // all in one batch
  Engine engine(options);
  auto waiting = waiting_job(some_lines(0, 40));
  std::atomic<int> steps{0};
  int inside = 0;
  waiting.job->progress = [&](const serve::SentenceProgress&) {
    EXPECT_EQ(++inside, 1);  // one at a time
    ++steps;
    --inside;
  };
  engine.submit(waiting.job);
  EXPECT_EQ(best_of(waiting.results.get()), translated_alone(some_lines(0, 40)));
  EXPECT_GT(steps, 40);
}

TEST(Engine, NeedsAWorker) {
  auto options = engine_options();
  options.workers.clear();
  EXPECT_THROW(Engine engine(options), InvalidArgument);
}

TEST(Engine, KeepsRequestsWithOtherSettingsApart) {
  Engine engine(engine_options());
  std::vector<testing::Waiting> jobs;
  for (const std::int64_t beam : {1, 4, 8}) {
    jobs.push_back(waiting_job(some_lines(0, 3)));
    jobs.back().job->search = {.beam = beam, .n_best = beam, .scores = true};
    engine.submit(jobs.back().job);
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto results = jobs[i].results.get();
    EXPECT_EQ(results.front().n_best.size(), (std::vector<std::size_t>{1, 4, 8})[i]);
    EXPECT_LT(results.front().n_best.front().score, 0);
    EXPECT_EQ(results.front().n_best.front().tokens.back(), "</s>");
  }
}

TEST(Engine, GivesAlignmentsAndAttention) {
  Engine engine(engine_options());
  auto waiting = waiting_job(some_lines(0, 1));
  waiting.job->search.alignments = true;
  waiting.job->attention = true;
  engine.submit(waiting.job);
  const auto result = waiting.results.get().front();
  ASSERT_FALSE(result.n_best.front().alignment.empty());
  for (const auto& [source, target] : result.n_best.front().alignment) {
    EXPECT_LT(source, result.source_tokens.size());
    EXPECT_LT(target, result.n_best.front().tokens.size());
  }
  const Json attention = Json::parse(result.attention.joined());
  EXPECT_EQ(attention["source_tokens"], Json(result.source_tokens));
  EXPECT_EQ(attention["target_tokens"], Json(result.n_best.front().tokens));
  ASSERT_EQ(attention["cross"].size(), attention["layers"]);
  ASSERT_EQ(attention["cross"][0].size(), attention["heads"]);
  ASSERT_EQ(attention["cross"][0][0].size(), attention["target_tokens"].size());
  double sum = 0;
  for (const Json& weight : attention["cross"][0][0][0]) {
    sum += weight.get<double>();
  }
  EXPECT_NEAR(sum, 1, 0.01);
}

TEST(Engine, TellsHowFarItIs) {
  Engine engine(engine_options());
  auto waiting = waiting_job(some_lines(0, 2));
  std::vector<serve::SentenceProgress> seen;
  waiting.job->progress = [&](const serve::SentenceProgress& progress) {
    seen.push_back(progress);
  };
  engine.submit(waiting.job);
  const auto results = waiting.results.get();
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.front().tokens, 1);
  EXPECT_LT(seen.back().sentence, 2U);
  EXPECT_FALSE(seen.back().text.empty());
}

TEST(Engine, BeginsWithAPrefix) {
  Engine engine(engine_options());
  auto waiting = waiting_job(some_lines(0, 2));
  waiting.job->prefix = "zwei Minuten";
  engine.submit(waiting.job);
  const auto texts = best_of(waiting.results.get());
  EXPECT_TRUE(texts[0].starts_with("zwei Minuten")) << texts[0];
  EXPECT_EQ(texts[1], translated_alone(some_lines(1, 1)).front());
}

TEST(Engine, AnswersAMistakeToTheOneWhoMadeIt) {
  auto options = engine_options();
  options.batcher.window = std::chrono::milliseconds(200);  // all in one batch
  Engine engine(options);
  auto good = waiting_job(some_lines(0, 2));
  auto bad = waiting_job(some_lines(2, 1));
  for (int i = 0; i < 100; ++i) {
    bad.job->prefix += "zwei ";  // more than the output may have
  }
  auto other = waiting_job(some_lines(3, 1));
  for (const auto* waiting : {&good, &bad, &other}) {
    engine.submit(waiting->job);
  }
  EXPECT_EQ(best_of(good.results.get()), translated_alone(some_lines(0, 2)));
  EXPECT_THROW(bad.results.get(), InvalidArgument);
  EXPECT_EQ(best_of(other.results.get()), translated_alone(some_lines(3, 1)));
}

TEST(Engine, DropsThoseWhoHaveGoneOrAreLate) {
  Engine engine(engine_options());
  auto gone = waiting_job(some_lines(0, 1));
  gone.job->gone = std::make_shared<std::atomic<bool>>(true);
  auto late = waiting_job(some_lines(0, 1));
  late.job->deadline = Clock::now();
  engine.submit(gone.job);
  engine.submit(late.job);
  EXPECT_THROW(gone.results.get(), HttpError);
  EXPECT_THROW(late.results.get(), HttpError);
}

TEST(Engine, LeavesABatchWhenTheClientGoes) {
  Engine engine(engine_options());
  auto stays = waiting_job(some_lines(0, 5));
  auto goes = waiting_job(some_lines(0, 5));
  const auto gone = std::make_shared<std::atomic<bool>>(false);
  goes.job->gone = gone;
  goes.job->progress = [gone](const serve::SentenceProgress&) { gone->store(true); };
  engine.submit(goes.job);
  engine.submit(stays.job);
  EXPECT_THROW(goes.results.get(), HttpError);
  EXPECT_EQ(best_of(stays.results.get()), translated_alone(some_lines(0, 5)));
}

TEST(Engine, SaysWhichModelIsNotThere) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"two"});
  waiting.job->model = "xx-yy";
  EXPECT_THROW(engine.submit(waiting.job), HttpError);
}

TEST(Engine, RefusesMoreHypothesesThanBeams) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"two"});
  waiting.job->search = {.beam = 2, .n_best = 3};
  engine.submit(waiting.job);
  EXPECT_THROW(waiting.results.get(), InvalidArgument);
}

TEST(Engine, PutsTheGlossarysTermsIn) {
  Engine engine(engine_options());
  for (const std::string term : {"Bimbam", "yona", "die Große Ä-Note"}) {
    auto waiting = waiting_job({"seven past two", "six minutes past eleven", "the first of May"});
    waiting.job->glossary = {{"two", term}, {"eleven", term}, {"first", term}};
    engine.submit(waiting.job);
    for (const std::string& text : best_of(waiting.results.get())) {
      EXPECT_NE(text.find(term), std::string::npos) << text;
    }
  }
}

TEST(Engine, GivesUpOnATermThatCannotBeWritten) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"seven past two"});
  waiting.job->glossary = {{"two", "a  b"}};  // blanks in a row are one to the sub-words
  engine.submit(waiting.job);
  EXPECT_FALSE(best_of(waiting.results.get()).front().empty());
}

TEST(Engine, AnswersManyThreadsAtOnce) {
  Engine engine(engine_options());
  const std::vector<std::string> expected = translated_alone(some_lines(0, 20));
  std::vector<std::thread> clients;
  std::atomic<int> wrong{0};
  for (std::size_t c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      for (std::size_t i = 0; i < 10; ++i) {
        const std::size_t line = (c * 3 + i) % 20;
        auto waiting = waiting_job(some_lines(line, 1));
        engine.submit(waiting.job);
        wrong += best_of(waiting.results.get()).front() == expected[line] ? 0 : 1;
      }
    });
  }
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(wrong, 0);
}

struct Scored {
  std::string text;
  double score = 0;
  bool operator==(const Scored&) const = default;
};

std::vector<Scored> scored(const std::vector<serve::SentenceResult>& results) {
  std::vector<Scored> all;
  for (const serve::SentenceResult& result : results) {
    all.push_back({result.n_best.front().text, result.n_best.front().score});
  }
  return all;
}

// What `yona translate` gives with these settings, one line at a time.
std::vector<Scored> scored_alone(const std::vector<std::string>& lines,
                                 const serve::SearchChoice& search) {
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(shared_model().path(), *backend, Packing::yes);
  DecodeOptions options = folder_options(model->folder(), model->info());
  options.beam = search.beam.value_or(options.beam);
  options.scores = true;
  if (search.max_length) {
    options.limit = {.factor = 0, .extra = *search.max_length};
  }
  Translator translator({model.get()}, *backend, options);
  std::vector<Scored> all;
  for (const std::string& line : lines) {
    const TranslationRequest request{.text = line};
    const SentenceTranslation best = translator.n_best({&request, 1}).front().front();
    all.push_back({best.text, best.hypothesis.score});
  }
  return all;
}

// Short requests while wide and long searches, attention, glossaries and trees are computed: every
// answer is that of offline translation, bit for bit.
void answer_short_ones_beside_hogs(const serve::EngineOptions& options) {
  Engine engine(options);
  const serve::SearchChoice wide{.beam = 64, .max_length = 40, .scores = true};
  std::vector<testing::Waiting> hogs;
  for (std::size_t i = 0; i < 4; ++i) {
    hogs.push_back(waiting_job(some_lines(30, 40)));
    hogs.back().job->search = wide;
  }
  hogs[2].job->attention = true;
  hogs[3].job->glossary = {{"past", "Bimbam"}, {"minutes", "yona"}, {"the", "Ä"}};
  for (const testing::Waiting& hog : hogs) {
    engine.submit(hog.job);
  }
  const serve::SearchChoice plain{.scores = true};
  const std::vector<Scored> expected = scored_alone(some_lines(0, 20), plain);
  std::size_t during = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    auto waiting = waiting_job(some_lines(i % 20, 1));
    waiting.job->search = plain;
    engine.submit(waiting.job);
    EXPECT_EQ(scored(waiting.results.get()).front(), expected[i % 20]);
    during +=
        hogs[0].results.wait_for(std::chrono::seconds(0)) == std::future_status::ready ? 0 : 1;
  }
  EXPECT_GT(during, 3U);
  EXPECT_GT(engine.figures().preemptions, 3U);
  const std::vector<Scored> of_hogs = scored_alone(some_lines(30, 40), wide);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(scored(hogs[i].results.get()), of_hogs);
  }
  EXPECT_EQ(hogs[3].results.get().size(), 40U);
}

TEST(Engine, AnswersShortRequestsBesideHogsAsTranslateDoes) {
  auto options = engine_options();
  options.batcher.longest_wait = std::chrono::duration<double>(600);
  answer_short_ones_beside_hogs(options);
}

TEST(Engine, AnswersShortRequestsBesideHogsWithSeveralWorkers) {
  const auto first = make_backend("cpu", {.threads = 1});
  const auto second = make_backend("cpu", {.threads = 1});
  auto options = engine_options();
  options.workers = {{first.get()}, {second.get()}};
  options.batcher.longest_wait = std::chrono::duration<double>(600);
  answer_short_ones_beside_hogs(options);
}

TEST(Engine, PreemptsATextThatHasMoreTokensThanItsBytesPromise) {
  auto options = engine_options();
  options.batcher.window = std::chrono::microseconds(0);
  options.loading.search.beam_mode = "marian";  // as long as a multiple of the source's tokens
  options.batcher.longest_wait = std::chrono::duration<double>(600);
  Engine engine(options);
  auto large = waiting_job({std::string(16, 'q')});
  auto small = waiting_job({"two"});
  bool is_submitted = false;
  large.job->progress = [&](const serve::SentenceProgress&) {
    if (!std::exchange(is_submitted, true)) {
      engine.submit(small.job);
    }
  };
  engine.submit(large.job);
  small.results.get();
  large.results.get();
  EXPECT_EQ(engine.figures().preemptions, 1U);
}

TEST(Engine, LetsRequestsWaitWhileAModelIsLoaded) {
  auto options = engine_options();
  options.batcher.longest_wait = std::chrono::duration<double>(0.05);
  options.loading.loads = [] { std::this_thread::sleep_for(std::chrono::milliseconds(400)); };
  Engine engine(options);
  std::vector<testing::Waiting> jobs;
  for (std::size_t i = 0; i < 16; ++i) {
    jobs.push_back(waiting_job(some_lines(i, 1)));
    EXPECT_NO_THROW(engine.submit(jobs.back().job));
    EXPECT_FALSE(engine.is_full());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (testing::Waiting& waiting : jobs) {
    EXPECT_NO_THROW(waiting.results.get());
  }
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(Engine, GivesMemoryBackAfterALargeAnswer) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers keep memory that is given back";
  }
  auto options = engine_options();
  options.limits.attention = std::int64_t{1} << 24;
  options.batcher.longest_wait = std::chrono::duration<double>(600);
  Engine engine(options);
  EXPECT_FALSE(best_of([&] {
                 auto first = waiting_job(some_lines(0, 1));
                 engine.submit(first.job);
                 return first.results.get();
               }())
                   .empty());
  const std::int64_t before = resident_bytes();
  {
    std::vector<std::string> sentences;
    for (std::size_t i = 0; i < 3000; ++i) {
      sentences.push_back(shared_model().lines()[i % 300]);
    }
    auto large = waiting_job(std::move(sentences));
    large.job->attention = true;
    engine.submit(large.job);
    std::size_t bytes = 0;
    for (const serve::SentenceResult& result : large.results.get()) {
      bytes += result.attention.bytes();
    }
    EXPECT_GT(bytes, 10U << 20);
  }
  for (int i = 0; i < 100 && resident_bytes() > before + (24 << 20); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_LT(resident_bytes(), before + (24 << 20));
}

TEST(Engine, RunsTasks) {
  Engine engine(engine_options());
  const auto job = std::make_shared<serve::TaskJob>();
  std::promise<Json> answer;
  job->model = "en-de";
  job->task = "beam";
  job->request = {{"q", "seven past two"}, {"beam", 3}};
  job->done = [&](Json json) { answer.set_value(std::move(json)); };
  job->failed = [&](const std::exception_ptr& error) { answer.set_exception(error); };
  engine.submit(job);
  EXPECT_FALSE(answer.get_future().get()["steps"].empty());
}

}  // namespace
}  // namespace yona
