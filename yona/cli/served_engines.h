// What `yona serve` serves: an engine for each kind of model that was given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yona/serve/engine/encoder_engine.h"
#include "yona/serve/engine/engine.h"
#include "yona/serve/engine/generation_engine.h"

namespace yona::cli {

struct ServedEngines {
  explicit ServedEngines(const serve::EngineOptions& options) : translation(options) {}

  serve::Engine translation;
  std::optional<serve::GenerationEngine> generation{};
  std::optional<serve::EncoderEngine> encoding{};

  // Of all models, by which clients choose them.
  std::vector<std::string> names() const;
  // Throws InvalidArgument when two models have the same name.
  void check_names() const;
  // In the text format of Prometheus.
  std::string metrics() const;
  void reload();
  void close();
};

}  // namespace yona::cli
