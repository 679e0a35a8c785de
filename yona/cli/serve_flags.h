// The flags of `yona serve`, and the options of the engines and the server that follow from them.
#pragma once

#include <string>
#include <vector>

#include "yona/cli/search_flags.h"
#include "yona/cli/worker_backends.h"
#include "yona/serve/engine/encoder_engine.h"
#include "yona/serve/engine/engine.h"
#include "yona/serve/engine/generation_engine.h"
#include "yona/serve/http_server.h"
#include "yona/serve/texts.h"

namespace yona::cli {

struct ServeFlags {
  std::vector<std::string> models, allow_hosts;
  std::string host = "127.0.0.1", port = "8080", page_folder, origin, certificate, key, keys;
  std::string suggestions;
  std::string compute_type, batch_tokens, batch_wait = "1", queue_tokens = "262144";
  std::string longest_wait = "2", deadline = "30", work = "1048576";
  std::string kv_cache, answers;
  std::string body = "1048576", sentences = "1000", characters = "100000", connections = "1024";
  WorkerFlags workers;
  SearchFlags search;
};

void add_serve_flags(CLI::App& app, ServeFlags& flags);

// These throw InvalidArgument naming the flag. The workers' backends are returned in `workers`, and
// must outlive the engine.
serve::EngineOptions engine_options(const ServeFlags& flags, std::vector<serve::ModelPlace> models,
                                    WorkerBackends& workers);
// With the limits that translation has, of the same flags.
serve::GenerationEngineOptions generation_options(const ServeFlags& flags,
                                                  std::vector<serve::ServedFolder> models,
                                                  const serve::EngineOptions& engine);
serve::EncoderEngineOptions encoder_options(const ServeFlags& flags,
                                            std::vector<serve::ServedFolder> models,
                                            const serve::EngineOptions& engine);
serve::HttpServerOptions server_options(const ServeFlags& flags);
serve::TextLimits text_limits(const ServeFlags& flags);
double deadline_seconds(const ServeFlags& flags);

}  // namespace yona::cli
