// The requests of a language model that wait or are under way: what is taken on, which prompt is
// next, and what has to end. One thread computes (generation_worker.h); any thread may submit.
//
// What waits is bounded in tokens and in time: a request that would wait too long is refused at
// once, by the speed and the length of the answers so far.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "yona/base/timing.h"
#include "yona/generate/generator.h"
#include "yona/serve/engine/client_turns.h"
#include "yona/serve/engine/generation_limits.h"
#include "yona/serve/generation_service.h"

namespace yona::serve {

// What has happened so far, for /metrics.
struct GenerationFigures {
  std::int64_t waiting_requests = 0, waiting_tokens = 0;  // of prompts, about
  std::int64_t requests = 0, answers = 0;                 // under way
  std::uint64_t prompt_tokens = 0, reused_tokens = 0;     // of prompts that were begun
  std::uint64_t tokens = 0;                               // new ones
  std::uint64_t steps = 0;
  std::uint64_t refused = 0, late = 0, gone = 0;  // requests
  double busy_seconds = 0;

  GenerationFigures& operator+=(const GenerationFigures& other);
};

// A request from when it is taken on until it has ended. The queue fills it in; from then on it is
// read and changed by the thread that computes alone, but for its client, which the queue guards.
struct GenerationTask {
  std::shared_ptr<GenerationJob> job;
  ClientTurns::Client* client = nullptr;
  Clock::time_point since{};                // when it came
  std::int64_t tokens = 0;                  // of its prompts, about
  bool is_small = false;                    // has room of its own
  std::vector<GenerateRequest> requests{};  // once it is prepared
  std::size_t begun = 0;                    // prompts that were given to the generator
  bool has_joined = false;                  // one of them is, or was, under way
  std::int64_t answers_left = 0;            // of all prompts
  GenerationUsage usage{};

  bool has_more() const { return begun < job->prompt_count(); }
};
using GenerationTaskPtr = std::shared_ptr<GenerationTask>;

class GenerationQueue {
 public:
  explicit GenerationQueue(const GenerationLimits& limits) : limits_(limits) {}

  // Any thread, these. submit() throws HttpError 413 and 503 as GenerationService's does.
  void submit(std::shared_ptr<GenerationJob> job, const GeneratorSummary& model);
  GenerationFigures figures() const;
  bool is_full() const { return is_full_.load(std::memory_order_relaxed); }
  // Nothing is taken on any more.
  void close();

  // Of the thread that computes, the rest. Waits for a task; false: closed, and none is left.
  bool wait();
  bool empty() const;
  std::vector<GenerationTaskPtr> all() const;
  // Those that must end now, and why. They are counted as late, gone or refused, and stay until
  // they are removed.
  std::vector<std::pair<GenerationTaskPtr, std::exception_ptr>> find_ended();

  enum class Sizes : std::uint8_t { all, small };
  // The task whose prompt is next; nullptr: there is none.
  GenerationTaskPtr next(Sizes sizes) const;

  // While a model is loaded, waiting does not count.
  void begin_loading();
  void end_loading();

  // A prompt with that many tokens was given to the generator.
  void begin_prompt(GenerationTask& task, std::int64_t tokens);
  // The first prompt of the task has room in the batch.
  void note_joined(GenerationTask& task);
  // A step made a token for each of these tasks, which may occur several times.
  void add_step(std::span<GenerationTask* const> tasks, std::int64_t passes, double seconds);
  void add_answer(const GenerationTask& task, std::int64_t tokens);
  void set_under_way(std::int64_t answers, std::int64_t reused_tokens);
  // It has ended, however it did. Nothing when it was removed before.
  void remove(const GenerationTaskPtr& task);

 private:
  // With the mutex held.
  std::exception_ptr ending_of(const GenerationTask& task, Clock::time_point now);
  double foreseen_seconds(std::int64_t answers, bool is_small) const;
  static void add_waiting(const GenerationTask& task, std::int64_t answers);  // or fewer
  void end_waiting(const GenerationTask& task);  // none of its prompts waits any more
  void update_full();

  const GenerationLimits limits_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::list<GenerationTaskPtr> tasks_;  // in the order in which they came
  ClientTurns turns_;
  GenerationFigures figures_;
  Clock::time_point loaded_at_{};
  double step_seconds_ = 0;                // of a pass, in the mean; 0: not known yet
  std::array<double, 2> answer_tokens_{};  // of an answer, of a large and a small request
  bool is_loading_ = false;
  bool is_closing_ = false;
  std::atomic<bool> is_full_{false};
};

}  // namespace yona::serve
