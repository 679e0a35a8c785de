// One language model at work: a thread that runs its Generator step after step. Requests join
// between steps as there is room in the batch and in the KV cache, in the order of
// generation_queue.h, and leave when they are done, when their client has gone or at their
// deadline.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "yona/serve/engine/folder_generator.h"
#include "yona/serve/engine/generation_queue.h"

namespace yona::serve {

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
  GenerationFigures figures() const { return queue_.figures(); }
  bool is_full() const { return queue_.is_full(); }
  void look_again() { model_.look_again(); }
  // Finishes what was accepted; nothing is accepted any more.
  void close();

 private:
  using TaskPtr = GenerationTaskPtr;
  // A prompt that the generator has.
  struct Running {
    TaskPtr task;
    std::size_t prompt = 0;
    std::int64_t cache_tokens = 0;
    std::vector<std::int64_t> lengths{};  // of its answers, so far
    std::int64_t answers_left = 0;
  };

  // Of the thread that computes.
  void work();
  void round();
  void drop_ended();
  void fail_all(const std::exception_ptr& error);
  bool is_ready();  // a model is loaded, and requests may join
  void load();
  void join();
  bool prepare(const TaskPtr& task);  // false: it has failed, or there is nothing to generate
  void look(const GenerationJob& job) const;
  bool has_room_for(const GenerationTask& task) const;
  void begin(const TaskPtr& task);
  void note_joined();
  void note_under_way();
  void step();
  void give(const GeneratedToken& token);
  void fail(const TaskPtr& task, const std::exception_ptr& error);
  void finish(const TaskPtr& task);
  void forget(const TaskPtr& task);  // takes it out everywhere

  const GenerationLimits limits_;
  GenerationQueue queue_;

  // Of the thread that computes.
  FolderGenerator model_;
  std::map<RequestId, Running> running_;
  TaskPtr blocked_;  // the generator has its prompt, but no room for it yet

  mutable std::mutex mutex_;  // of the summary
  GeneratorSummary summary_;
  std::thread thread_;
};

}  // namespace yona::serve
