// Several decoders over one copy of the weights, each with its own thread and backend (with its own
// thread pool). Batches go to workers as these become free; results do not depend on which worker
// decoded them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "yona/decode/batch_decoder.h"
#include "yona/decode/scorer.h"

namespace yona {

struct WorkerPlace {
  Backend* backend = nullptr;
  int cpu = -1;  // where its thread is pinned; -1: nowhere
};

struct Worker {
  Worker(const std::vector<const SequenceModel*>& models, const WorkerPlace& place,
         const DecodeOptions& options)
      : decoder(models, *place.backend, options),
        scorer(models, *place.backend, options),
        backend(*place.backend),
        cpu(place.cpu) {}

  BatchDecoder decoder;
  PairScorer scorer;
  Backend& backend;
  int cpu;
};

class Workers {
 public:
  // At least one place; models and backends must outlive this object. Throws as BatchDecoder does.
  Workers(const std::vector<const SequenceModel*>& models, std::span<const WorkerPlace> places,
          const DecodeOptions& options);

  // Calls function(worker, item) for each item, from first to last as workers become free. One
  // worker, or one item, is done by the caller's thread. The first exception ends the run and is
  // rethrown.
  void run(std::size_t items, const std::function<void(Worker&, std::size_t)>& function);

  std::size_t count() const { return workers_.size(); }
  Worker& first() const { return *workers_.front(); }
  // Of the working memory of all of them.
  std::int64_t kept_bytes() const;

 private:
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace yona
