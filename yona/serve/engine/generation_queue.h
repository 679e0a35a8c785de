// The requests of a language model, waiting and running: which are accepted, whose prompt is next,
// and which must end. One thread computes (generation_worker.h); any thread may submit.
//
// The queue is bounded in tokens and in time: a request that would wait too long is refused at
// once, judging by the speed and the length of the answers so far.
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
  std::int64_t requests = 0, answers = 0;                 // running
  std::uint64_t prompt_tokens = 0, reused_tokens = 0;     // of prompts that were begun
  std::uint64_t tokens = 0;                               // new ones
  std::uint64_t steps = 0;
  std::uint64_t refused = 0, late = 0, gone = 0;  // requests
  double busy_seconds = 0;

  GenerationFigures& operator+=(const GenerationFigures& other);
};

// An accepted request, until it has ended. The queue fills it in. Then only the computing thread
// reads and changes it, except for its client, which the queue's mutex guards.
struct GenerationTask {
  std::shared_ptr<GenerationJob> job;
  ClientTurns::Client* client = nullptr;
  Clock::time_point since{};                // when it arrived
  std::int64_t tokens = 0;                  // of its prompts, about
  bool is_small = false;                    // small requests have reserved room
  std::vector<GenerateRequest> requests{};  // once it is prepared
  std::size_t begun = 0;                    // prompts that were given to the generator
  bool has_joined = false;                  // one of them is or was running
  std::int64_t answers_left = 0;            // of all prompts
  GenerationUsage usage{};

  bool has_more() const { return begun < job->prompt_count(); }
};
using GenerationTaskPtr = std::shared_ptr<GenerationTask>;

class GenerationQueue {
 public:
  explicit GenerationQueue(const GenerationLimits& limits) : limits_(limits) {}

  // Any thread may call these. submit() throws HttpError 413 and 503 as GenerationService's does.
  void submit(std::shared_ptr<GenerationJob> job, const GeneratorSummary& model);
  GenerationFigures figures() const;
  bool is_full() const { return is_full_.load(std::memory_order_relaxed); }
  // Later requests are refused.
  void close();

  // The rest is for the computing thread alone. Waits for a task; false: closed, and none is left.
  bool wait();
  bool empty() const;
  std::vector<GenerationTaskPtr> all() const;
  // The tasks that must end now, and why. They are counted as late, gone or refused, and stay until
  // they are removed.
  std::vector<std::pair<GenerationTaskPtr, std::exception_ptr>> find_ended();

  enum class Sizes : std::uint8_t { all, small };
  // The task whose prompt is next; nullptr: there is none.
  GenerationTaskPtr next(Sizes sizes) const;

  // The time that a model takes to load does not count as waiting.
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
  // The task has ended, for whatever reason. Does nothing if it is removed already.
  void remove(const GenerationTaskPtr& task);

 private:
  // These need the mutex.
  std::exception_ptr ending_of(const GenerationTask& task, Clock::time_point now);
  double foreseen_seconds(std::int64_t answers, bool is_small) const;
  static void add_waiting(const GenerationTask& task, std::int64_t answers);  // below 0: removes
  void end_waiting(const GenerationTask& task);  // its last prompt was begun or removed
  void update_full();

  const GenerationLimits limits_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::list<GenerationTaskPtr> tasks_;  // in order of arrival
  ClientTurns turns_;
  GenerationFigures figures_;
  Clock::time_point loaded_at_{};
  double step_seconds_ = 0;                // mean time of a pass; 0: not known yet
  std::array<double, 2> answer_tokens_{};  // mean length of answers: large, small requests
  bool is_loading_ = false;
  bool is_closing_ = false;
  std::atomic<bool> is_full_{false};
};

}  // namespace yona::serve
