// One language model at work: a thread that runs its Generator step after step. Requests join
// between steps as there is room in the batch and in the KV cache, in the order of client_turns.h,
// and leave when they are done, when their client has gone or at their deadline.
//
// What waits is bounded in tokens and in time: a request that would wait too long is refused at
// once, by the speed and the length of the answers so far.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "yona/serve/engine/client_turns.h"
#include "yona/serve/engine/folder_generator.h"

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

class GenerationWorker {
 public:
  // Reads the folder's description and compares its files with its checksums; the model is loaded
  // when it is first needed, and again when its files have changed. Throws IoError and FormatError.
  GenerationWorker(const ServedFolder& place, const ServedLoading& loading,
                   const GenerationLimits& limits);
  ~GenerationWorker();  // as close()
  GenerationWorker(const GenerationWorker&) = delete;
  GenerationWorker& operator=(const GenerationWorker&) = delete;

  // Any thread, all of these. submit() throws HttpError 413 and 503 as GenerationService's does.
  void submit(std::shared_ptr<GenerationJob> job);
  GeneratorSummary summary() const;
  GenerationFigures figures() const;
  bool is_full() const { return is_full_.load(std::memory_order_relaxed); }
  void look_again() { model_.look_again(); }
  // Finishes what was accepted; nothing is accepted any more.
  void close();

 private:
  struct Task {
    std::shared_ptr<GenerationJob> job;
    ClientTurns::Client* client = nullptr;
    Clock::time_point since{};
    std::int64_t tokens = 0;                  // of its prompts, about
    bool is_small = false;                    // has room of its own
    std::vector<GenerateRequest> requests{};  // once it is prepared
    std::size_t begun = 0;                    // prompts that were given to the generator
    bool has_joined = false;                  // one of them is, or was, under way
    std::int64_t answers_left = 0;            // of all prompts
    GenerationUsage usage{};

    bool has_more() const { return begun < job->prompt_count(); }
  };
  using TaskPtr = std::shared_ptr<Task>;
  // A prompt that the generator has.
  struct Running {
    TaskPtr task;
    std::size_t prompt = 0;
    std::int64_t cache_tokens = 0;
    std::vector<std::int64_t> lengths{};  // of its answers, so far
    std::int64_t answers_left = 0;
  };
  using Ended = std::vector<std::pair<TaskPtr, std::exception_ptr>>;

  // Of the thread that computes.
  void work();
  void round();
  bool is_idle() const;
  void drop_ended();
  void fail_all(const std::exception_ptr& error);
  bool is_ready();  // a model is loaded, and requests may join
  void load();
  void join();
  enum class Sizes : std::uint8_t { all, small };
  TaskPtr next_task(Sizes sizes);
  bool prepare(const TaskPtr& task);  // false: it has failed, or there is nothing to generate
  void look(const GenerationJob& job) const;
  bool has_room_for(const Task& task) const;
  void begin(const TaskPtr& task);
  void note_joined();
  void step();
  void give(const GeneratedToken& token);
  void fail(const TaskPtr& task, const std::exception_ptr& error);
  void finish(const TaskPtr& task);
  void forget(const TaskPtr& task);  // takes it out everywhere

  // With the mutex held.
  std::exception_ptr ending_of(const Task& task, Clock::time_point now);
  double foreseen_seconds(std::int64_t answers, bool is_small) const;
  void queue(const Task& task, std::int64_t answers);  // so many more wait, or fewer
  void unqueue(const Task& task);
  void update_full();

  const GenerationLimits limits_;

  // Of the thread that computes.
  FolderGenerator model_;
  std::map<RequestId, Running> running_;
  TaskPtr blocked_;  // the generator has its prompt, but no room for it yet

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  GeneratorSummary summary_;
  std::list<TaskPtr> tasks_;  // in the order in which they came
  ClientTurns turns_;
  GenerationFigures figures_;
  Clock::time_point loaded_at_{};
  double step_seconds_ = 0;                // of a pass, in the mean; 0: not known yet
  std::array<double, 2> answer_tokens_{};  // of an answer, of a large and a small request
  bool is_loading_ = false;
  bool is_closing_ = false;
  std::atomic<bool> is_full_{false};
  std::thread thread_;
};

}  // namespace yona::serve
