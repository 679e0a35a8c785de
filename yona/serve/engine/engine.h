// The models at work: takes sentences from the batcher, decodes them together and answers their
// jobs. One thread computes; the models and their memory are its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/decode/line_translator.h"
#include "yona/serve/batcher.h"
#include "yona/serve/engine/model_pool.h"

namespace yona::serve {

struct EngineOptions {
  std::vector<ModelPlace> models;
  std::vector<WorkerPlace> workers;  // at least one; their backends must outlive the engine
  std::int64_t batch_tokens = 4096;  // source tokens of a batch, times its beams, as in TextOptions
  BatcherOptions batcher{};
  ModelLoading loading{};
};

class Engine : public Service {
 public:
  // Throws as ModelPool does.
  explicit Engine(const EngineOptions& options);
  ~Engine() override;

  std::vector<ModelSummary> models() const override { return pool_.summaries(); }
  void submit(std::shared_ptr<TranslationJob> job) override;
  void submit(std::shared_ptr<TaskJob> job) override;
  bool is_full() const override { return batcher_.is_full(); }

  BatcherFigures figures() const { return batcher_.figures(); }
  // Models whose files have changed are loaded again when they are used next. Any thread.
  void reload() { pool_.look_again(); }
  // Finishes what was accepted; nothing is accepted any more.
  void close() { batcher_.close(); }

 private:
  void run(const std::vector<Unit>& batch);
  void run_task(const std::shared_ptr<TaskJob>& job);
  void translate(const std::vector<Unit>& batch, LoadedModel& model);
  bool needs_another_round(const Unit& unit, LoadedModel& model, const LineTranslation& best);
  void finish(const Unit& unit, LoadedModel& model, const std::vector<LineTranslation>& lines);

  Backend& backend_;  // of the first worker: looks inside are its alone
  ModelPool pool_;
  Batcher batcher_;  // its thread ends before the models go
};

}  // namespace yona::serve
