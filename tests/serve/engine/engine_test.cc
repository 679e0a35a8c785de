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
using testing::waiting_job;

std::vector<std::string> some_lines(std::size_t first, std::size_t count) {
  const auto& lines = shared_model().lines();
  return {lines.begin() + static_cast<std::ptrdiff_t>(first),
          lines.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

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

// The status and message of what submit() or the job says.
std::pair<int, std::string> refusal_of(Engine& engine, testing::Waiting& waiting) {
  try {
    engine.submit(waiting.job);
    waiting.results.get();
  } catch (const HttpError& error) {
    return {error.status, error.what()};
  }
  return {200, ""};
}

TEST(Engine, RefusesMoreWorkThanAllowedWithTheLimit) {
  auto options = engine_options();
  options.limits.work = 1000;
  Engine engine(options);
  auto wide = waiting_job(some_lines(0, 2));
  wide.job->search = {.beam = 32, .max_length = 20};
  const auto [status, text] = refusal_of(engine, wide);
  EXPECT_EQ(status, 413);
  EXPECT_NE(text.find("1280 steps"), text.npos) << text;
  EXPECT_NE(text.find("1000 are allowed at most"), text.npos) << text;
  auto plain = waiting_job(some_lines(0, 2));
  EXPECT_EQ(refusal_of(engine, plain).first, 200);
}

TEST(Engine, CountsTheWorkOfAllPartsOfARequestBeforeItBegins) {
  auto options = engine_options();
  options.limits.work = 700;
  Engine engine(options);
  std::vector<testing::Waiting> parts;
  std::vector<std::shared_ptr<serve::TranslationJob>> jobs;
  for (std::size_t i = 0; i < 5; ++i) {
    parts.push_back(waiting_job(some_lines(i, 1)));
    jobs.push_back(parts.back().job);
  }
  try {
    engine.submit_parts(jobs);
    ADD_FAILURE() << "not refused";
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status, 413);
    EXPECT_NE(std::string(error.what()).find("700 are allowed at most"), std::string::npos);
  }
  EXPECT_EQ(engine.figures().waiting_jobs, 0);
  engine.submit_parts({jobs.front()});
  EXPECT_EQ(parts.front().results.get().size(), 1U);
  engine.close();
  EXPECT_EQ(engine.figures().sentences, 1U);
}

TEST(Engine, CountsTheAttentionOfAllPartsOfARequest) {
  auto options = engine_options();
  options.limits.attention = 2000;
  Engine engine(options);
  auto first = waiting_job({"two"});
  first.job->attention = true;
  first.job->attention_count->given = 1999;  // by other parts
  const auto [status, text] = refusal_of(engine, first);
  EXPECT_EQ(status, 413);
  auto second = waiting_job({"two"});
  second.job->attention = true;
  second.job->attention_count->foreseen = 2000;
  EXPECT_EQ(refusal_of(engine, second).first, 413);
  auto third = waiting_job({"two"});
  third.job->attention = true;
  EXPECT_EQ(refusal_of(engine, third).first, 200);
}

TEST(Engine, LeavesABatchWhenAnotherPartHasFailed) {
  Engine engine(engine_options());
  const auto cancelled = std::make_shared<std::atomic<bool>>(false);
  auto waiting = waiting_job(some_lines(0, 8));
  waiting.job->cancelled = cancelled;
  std::atomic<int> steps{0};
  waiting.job->progress = [&](const serve::SentenceProgress&) {
    ++steps;
    *cancelled = true;
  };
  EXPECT_EQ(refusal_of(engine, waiting).first, 499);
  EXPECT_LE(steps, 8);  // none has made a second step
}

TEST(Engine, RefusesASearchThatTakesTooMuchMemory) {
  auto options = engine_options();
  options.limits.cache_bytes = 64 << 10;
  Engine engine(options);
  auto wide = waiting_job(some_lines(0, 1));
  wide.job->search = {.beam = 64, .max_length = 40};
  const auto [status, text] = refusal_of(engine, wide);
  EXPECT_EQ(status, 413);
  EXPECT_NE(text.find("64 beams of up to 40 tokens"), text.npos) << text;
}

TEST(Engine, RefusesAGlossaryOfTooManyTermsAtOnce) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"seven past two"});
  for (int i = 0; i < 129; ++i) {
    waiting.job->glossary.push_back({"a" + std::to_string(i), "b"});
  }
  const auto [status, text] = refusal_of(engine, waiting);
  EXPECT_EQ(status, 400);
  EXPECT_NE(text.find("expected at most 128 terms, got 129"), text.npos) << text;
}

TEST(Engine, RefusesAGlossaryWithALongTermAtOnce) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"seven past two"});
  waiting.job->glossary = {{std::string(257, 'a'), "b"}};
  const auto [status, text] = refusal_of(engine, waiting);
  EXPECT_EQ(status, 400);
  EXPECT_NE(text.find("the source of a term has more than the 256 bytes"), text.npos) << text;
}

TEST(Engine, SaysWhenTheTermsOfASentenceDoNotFitIntoItsTranslation) {
  Engine engine(engine_options());
  auto waiting = waiting_job({"seven past two"});
  std::string term = "Donau";
  for (int i = 0; i < 30; ++i) {
    term += "dampfschiff";
  }
  waiting.job->glossary = {{"two", term}};
  const auto [status, text] = refusal_of(engine, waiting);
  EXPECT_EQ(status, 400);
  EXPECT_NE(text.find("\"glossary\": the terms of a sentence take"), text.npos) << text;
  EXPECT_NE(text.find("\"max_length\""), text.npos) << text;
}

TEST(Engine, RefusesAttentionAboveALimitBeforeAndAfterDecoding) {
  auto options = engine_options();
  options.limits.attention = 400;  // one layer of four heads
  Engine engine(options);
  auto many = waiting_job(some_lines(0, 20));
  many.job->attention = true;
  std::atomic<int> steps{0};
  many.job->progress = [&](const serve::SentenceProgress&) { ++steps; };
  const auto [status, text] = refusal_of(engine, many);
  EXPECT_EQ(status, 413);
  EXPECT_NE(text.find("400 are allowed at most"), text.npos) << text;
  EXPECT_EQ(steps, 0);
  options.limits.attention = 40;  // enough for the source alone
  Engine strict(options);
  auto one = waiting_job({"two"});
  one.job->attention = true;
  one.job->progress = [&](const serve::SentenceProgress&) { ++steps; };
  EXPECT_EQ(refusal_of(strict, one).first, 413);
  EXPECT_GT(steps, 0);
}

TEST(Engine, RefusesLooksInsideThatWouldBeTooLarge) {
  auto options = engine_options();
  options.limits.explained_tokens = 2;
  Engine engine(options);
  const auto refused = [](Engine& its, const std::string& task, const Json& request) {
    const auto job = std::make_shared<serve::TaskJob>();
    std::promise<Json> answer;
    job->model = "en-de";
    job->task = task;
    job->request = request;
    job->done = [&](Json json) { answer.set_value(std::move(json)); };
    job->failed = [&](const std::exception_ptr& error) { answer.set_exception(error); };
    try {
      its.submit(job);
      answer.get_future().get();
    } catch (const HttpError& error) {
      return error.status;
    }
    return 200;
  };
  EXPECT_EQ(refused(engine, "explain", {{"q", "seven past two"}}), 413);
  EXPECT_EQ(refused(engine, "beam", {{"q", "seven past two"}, {"beam", 4}}), 200);
  options.limits.tree_nodes = 100;
  Engine strict(options);
  EXPECT_EQ(refused(strict, "beam", {{"q", "seven past two"}, {"beam", 64}}), 413);
  EXPECT_EQ(refused(strict, "beam", {{"q", "two"}, {"beam", 1}}), 200);
  options.limits.cache_bytes = 1000;
  Engine small(options);
  EXPECT_EQ(refused(small, "beam", {{"q", "two"}, {"beam", 64}}), 413);
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
