// Encoders and image classifiers at work: the batcher joins the texts of all requests, and one
// thread computes them, a ragged batch at a time. Batches are short, so that a large request keeps
// no other waiting for longer than one of them.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/serve/batcher.h"
#include "yona/serve/encoder_service.h"
#include "yona/serve/engine/folder_look.h"
#include "yona/serve/engine/loaded_encoder.h"

namespace yona::serve {

struct EncoderEngineOptions {
  std::vector<ServedFolder> models;
  ServedLoading loading{};
  BatcherOptions batcher{};
};

class EncoderEngine : public EncoderService {
 public:
  // Reads the folders' descriptions and compares their files with their checksums; models are
  // loaded when they are first needed, and again when their files have changed. Throws IoError and
  // FormatError, and InvalidArgument where two models have the same name.
  explicit EncoderEngine(const EncoderEngineOptions& options);

  std::vector<EncoderSummary> encoders() const override;
  void submit(std::shared_ptr<EncoderJob> job) override;
  bool is_full() const override { return batcher_.is_full(); }

  BatcherFigures figures() const { return batcher_.figures(); }
  // Models whose files have changed are loaded again when they are used next. Any thread.
  void reload();
  // Finishes what was accepted; nothing is accepted any more.
  void close() { batcher_.close(); }

 private:
  struct Entry {
    explicit Entry(const ServedFolder& served)
        : place(served), summary(encoder_summary(served)), watch(served.folder) {}

    const ServedFolder place;
    EncoderSummary summary;
    FolderWatch watch;
    std::unique_ptr<LoadedEncoder> model{};  // of the thread that computes
  };

  Entry& entry(const std::string& id) const;
  void run(const std::vector<Unit>& batch);
  LoadedEncoder& loaded(Entry& entry);
  void load(Entry& entry);

  const ServedLoading loading_;
  const std::unique_ptr<Backend> backend_;
  mutable std::mutex mutex_;  // of summaries
  std::vector<std::unique_ptr<Entry>> entries_;
  Batcher batcher_;  // its thread ends before the models go
};

// The figures for /metrics.
std::string encoder_metrics(const BatcherFigures& figures);

}  // namespace yona::serve
