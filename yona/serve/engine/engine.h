// The models at work: takes sentences from the batcher, decodes them together and answers their
// jobs. One thread computes; the models and their memory are its own. Between the layers and steps
// of a batch the batcher may run a smaller one in its place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/decode/line_translator.h"
#include "yona/serve/batcher.h"
#include "yona/serve/engine/glossary.h"
#include "yona/serve/engine/model_pool.h"
#include "yona/serve/engine/work.h"

namespace yona::serve {

struct EngineOptions {
  std::vector<ModelPlace> models;
  std::vector<WorkerPlace> workers;  // at least one; their backends must outlive the engine
  std::int64_t batch_tokens = 4096;  // source tokens of a batch, times its beams, as in TextOptions
  BatcherOptions batcher{};
  ModelLoading loading{};
  WorkLimits limits{};
};

class Engine : public Service {
 public:
  // Throws as ModelPool does.
  explicit Engine(const EngineOptions& options);
  ~Engine() override;

  std::vector<ModelSummary> models() const override { return pool_.summaries(); }
  void submit(std::shared_ptr<TranslationJob> job) override { submit_parts({std::move(job)}); }
  void submit_parts(const std::vector<std::shared_ptr<TranslationJob>>& parts) override;
  void submit(std::shared_ptr<TaskJob> job) override;
  bool is_full() const override { return batcher_.is_full(); }

  BatcherFigures figures() const { return batcher_.figures(); }
  // Models whose files have changed are loaded again when they are used next. Any thread.
  void reload() { pool_.look_again(); }
  // Finishes what was accepted and refuses the rest.
  void close() { batcher_.close(); }

 private:
  // Where a running batch is computed: the model, the batch's own translator, and the lane.
  struct Place {
    LoadedModel& model;
    Translator& translator;
    Lane lane;
  };

  void prepare(TranslationJob& job) const;
  void run(const std::vector<Unit>& batch, const Lane& lane);
  void preempt(Backend& backend);
  void run_task(TaskJob& job, const Lane& lane);
  Json task_answer(const TaskJob& job, const Lane& lane);
  // One by one where they fail together.
  void translate_or_fail(const std::vector<Unit>& batch, const Place& place);
  void translate(const std::vector<Unit>& batch, const Place& place);
  bool is_wanted(const Unit& unit, const Place& place);
  std::int64_t counted_work(const Unit& unit, const Place& place) const;
  void check_tokens(const Unit& unit, const Place& place) const;
  bool needs_another_round(const Unit& unit, const Place& place, const LineTranslation& best);
  void check_terms(const Unit& unit, const Place& place, const std::vector<TermUse>& uses) const;
  void finish(const Unit& unit, const Place& place, const std::vector<LineTranslation>& lines);
  TextPieces attention_of(const Unit& unit, const Place& place, const SentenceTranslation& best);
  Backend& backend_of(const Lane& lane) const { return lane.backend ? *lane.backend : backend_; }

  Backend& backend_;  // of the first worker: looks inside are its alone
  const WorkLimits limits_;
  ModelPool pool_;
  Batcher batcher_;  // its thread ends before the models go
};

}  // namespace yona::serve
