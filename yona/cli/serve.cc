// `yona serve`: translation models, language models, encoders and image classifiers over HTTP, and
// the page.

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/compute_type.h"
#include "yona/cli/search_flags.h"
#include "yona/cli/served_folders.h"
#include "yona/cli/server_signals.h"
#include "yona/cli/worker_backends.h"
#include "yona/serve/application.h"
#include "yona/serve/engine/encoder_engine.h"
#include "yona/serve/engine/engine.h"
#include "yona/serve/engine/generation_engine.h"
#include "yona/serve/http_server.h"

namespace yona::cli {

namespace {

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

double seconds_value(const char* flag, const std::string& text) {
  return number_value(flag, text, {.least = 0, .most = 3600, .open_below = true});
}

// The workers' backends come beside the options, and must outlive the engine.
serve::EngineOptions engine_options(const ServeFlags& flags, std::vector<serve::ModelPlace> models,
                                    WorkerBackends& workers) {
  serve::EngineOptions options;
  options.models = std::move(models);
  const std::string device = device_of(flags.workers);
  workers = worker_backends(worker_choice(flags.workers));
  options.workers = workers.places;
  options.batch_tokens = decode_batch_tokens(flags.batch_tokens, device);
  const std::int64_t beam = options_of(flags.search).beam;
  options.batcher.batch_tokens =  // a batch for each worker
      std::max<std::int64_t>(1, options.batch_tokens / beam) *
      static_cast<std::int64_t>(options.workers.size());
  options.batcher.window = std::chrono::microseconds(static_cast<std::int64_t>(
      1000 * number_value("--batch-wait", flags.batch_wait, {.least = 0, .most = 1000})));
  options.batcher.queue_tokens =
      integer_value("--queue-tokens", flags.queue_tokens, {1, std::int64_t{1} << 40});
  options.batcher.longest_wait =
      std::chrono::duration<double>(seconds_value("--longest-wait", flags.longest_wait));
  options.limits.work = integer_value("--max-work", flags.work, {1, std::int64_t{1} << 40});
  options.loading.type = compute_type(flags.compute_type, device);
  options.loading.search = translate_options(flags.search);
  return options;
}

// With the limits that translation has, of the same flags.
serve::GenerationEngineOptions generation_options(const ServeFlags& flags,
                                                  std::vector<serve::ServedFolder> models,
                                                  const serve::EngineOptions& engine) {
  const std::string device = device_of(flags.workers);
  const bool is_gpu = device == "cuda";
  constexpr std::int64_t kMegabyte = std::int64_t{1} << 20;
  serve::GenerationEngineOptions options;
  options.models = std::move(models);
  options.loading = {.device = device,
                     .threads = worker_choice(flags.workers).threads,
                     .type = engine.loading.type};
  options.limits.cache_bytes =
      kMegabyte * (flags.kv_cache.empty()
                       ? (is_gpu ? 8192 : 1024)
                       : integer_value("--kv-cache", flags.kv_cache, {1, 1 << 24}));
  options.limits.answers = flags.answers.empty()
                               ? (is_gpu ? 256 : 32)
                               : integer_value("--max-answers", flags.answers, {1, 1 << 16});
  options.limits.small_answers = std::max<std::int64_t>(1, options.limits.answers / 4);
  options.limits.work = engine.limits.work;
  options.limits.queue_tokens = engine.batcher.queue_tokens;
  options.limits.longest_wait = engine.batcher.longest_wait;
  return options;
}

// Batches of texts are as small as is about as fast as larger ones.
serve::EncoderEngineOptions encoder_options(const ServeFlags& flags,
                                            std::vector<serve::ServedFolder> models,
                                            const serve::EngineOptions& engine) {
  const std::string device = device_of(flags.workers);
  constexpr std::int64_t kHostTokens = 512;
  constexpr std::int64_t kDeviceTokens = 8192;
  serve::EncoderEngineOptions options;
  options.models = std::move(models);
  options.loading = {.device = device,
                     .threads = worker_choice(flags.workers).threads,
                     .type = engine.loading.type};
  options.batcher = engine.batcher;
  options.batcher.batch_tokens = device == "cuda" ? kDeviceTokens : kHostTokens;
  return options;
}

serve::HttpServerOptions server_options(const ServeFlags& flags) {
  serve::HttpServerOptions options;
  options.host = flags.host;
  options.allow_hosts = flags.allow_hosts;
  options.port = static_cast<std::uint16_t>(integer_value("--port", flags.port, {0, 65535}));
  options.limits.connections =
      static_cast<std::size_t>(integer_value("--max-connections", flags.connections, {1, 1 << 20}));
  options.limits.body_bytes = static_cast<std::uint64_t>(
      integer_value("--max-body", flags.body, {1, std::int64_t{1} << 30}));
  if (!flags.origin.empty()) {
    check(flags.origin.find_first_of("\r\n ,") == flags.origin.npos,
          "--allow-origin: expected one like https://example.org, or '*', got '{}'", flags.origin);
    options.headers = {{"Access-Control-Allow-Origin", flags.origin}};
  }
  check(flags.certificate.empty() == flags.key.empty(),
        "--tls-certificate and --tls-key belong together; give both");
  if (!flags.key.empty()) {
    require_file("--tls-certificate", flags.certificate);
    require_file("--tls-key", flags.key);
    options.tls = serve::TlsFiles{flags.certificate, flags.key};
  }
  return options;
}

serve::TextLimits text_limits(const ServeFlags& flags) {
  const std::int64_t sentences = integer_value("--max-sentences", flags.sentences, {1, 1 << 24});
  return {.texts = sentences,
          .sentences = sentences,
          .characters = integer_value("--max-characters", flags.characters, {1, 1 << 30})};
}

std::string figures(const serve::Engine& engine, const serve::HttpServer& server) {
  const serve::BatcherFigures f = engine.figures();
  const auto text = [](const char* name, const char* type, const char* help, auto value) {
    return serve::metric_text(name, type, help, static_cast<double>(value));
  };
  return text("yona_connections", "gauge", "Connections that are open.", server.connections()) +
         text("yona_waiting_requests", "gauge", "Requests in the queue.", f.waiting_jobs) +
         text("yona_waiting_tokens", "gauge", "Their tokens, about.", f.waiting_tokens) +
         text("yona_batches_total", "counter", "Batches decoded.", f.batches) +
         text("yona_sentences_total", "counter", "Sentences decoded.", f.sentences) +
         text("yona_tokens_total", "counter", "Source tokens decoded, about.", f.tokens) +
         text("yona_busy_seconds_total", "counter", "Time spent decoding.", f.busy_seconds) +
         text("yona_preemptions_total", "counter", "Batches interrupted for smaller ones.",
              f.preemptions) +
         text("yona_steps_total", "counter", "Times between places where a batch is preempted.",
              f.steps) +
         text("yona_long_steps_total", "counter", "Of these, more than 50 ms.", f.long_steps) +
         text("yona_longest_step_seconds", "gauge", "The longest of these.", f.longest_step) +
         text("yona_late_total", "counter", "Requests dropped at their deadline.", f.late) +
         text("yona_gone_total", "counter", "Requests whose clients left.", f.gone);
}

std::string generation_figures(const serve::GenerationEngine& engine) {
  const serve::GenerationFigures f = engine.figures();
  const auto text = [](const char* name, const char* type, const char* help, auto value) {
    return serve::metric_text(name, type, help, static_cast<double>(value));
  };
  return text("yona_generation_waiting_requests", "gauge", "Requests for text in the queue.",
              f.waiting_requests) +
         text("yona_generation_waiting_tokens", "gauge", "Tokens of their prompts, about.",
              f.waiting_tokens) +
         text("yona_generation_requests", "gauge", "Requests for text under way.", f.requests) +
         text("yona_generation_answers", "gauge", "Their answers under way.", f.answers) +
         text("yona_generated_tokens_total", "counter", "New tokens generated.", f.tokens) +
         text("yona_prompt_tokens_total", "counter", "Prompt tokens of requests begun.",
              f.prompt_tokens) +
         text("yona_reused_prompt_tokens_total", "counter",
              "Of these, found in the KV cache since the model was loaded.", f.reused_tokens) +
         text("yona_generation_steps_total", "counter", "Passes of language models.", f.steps) +
         text("yona_generation_busy_seconds_total", "counter", "Time spent in them.",
              f.busy_seconds) +
         text("yona_generation_refused_total", "counter", "Requests refused as too many.",
              f.refused) +
         text("yona_generation_late_total", "counter", "Requests dropped at their deadline.",
              f.late) +
         text("yona_generation_gone_total", "counter", "Requests whose clients left.", f.gone);
}

// What is served: one engine for each kind of model that there is.
struct Engines {
  explicit Engines(const serve::EngineOptions& options) : translation(options) {}

  serve::Engine translation;
  std::optional<serve::GenerationEngine> generation{};
  std::optional<serve::EncoderEngine> encoding{};

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const serve::ModelSummary& model : translation.models()) {
      all.push_back(model.id);
    }
    for (const auto& model :
         generation ? generation->generators() : std::vector<serve::GeneratorSummary>{}) {
      all.push_back(model.id);
    }
    for (const auto& model :
         encoding ? encoding->encoders() : std::vector<serve::EncoderSummary>{}) {
      all.push_back(model.id);
    }
    return all;
  }
  std::string metrics() const {
    return (generation ? generation_figures(*generation) : "") +
           (encoding ? serve::encoder_metrics(encoding->figures()) : "");
  }
  void reload() {
    translation.reload();
    if (generation) {
      generation->reload();
    }
    if (encoding) {
      encoding->reload();
    }
  }
  void close() {
    translation.close();
    if (generation) {
      generation->close();
    }
    if (encoding) {
      encoding->close();
    }
  }
};

// Clients choose models of all kinds by their names.
void check_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto same = std::adjacent_find(names.begin(), names.end());
  check(same == names.end(),
        "--model: two models of different kinds are both named {}; say NAME=DIR for the one that "
        "does not translate",
        same == names.end() ? "" : *same);
}

void announce(const ServeFlags& flags, const serve::HttpServer& server, const Engines& engines) {
  const std::string host =
      flags.host.find(':') == flags.host.npos ? flags.host : "[" + flags.host + "]";
  log().info("serving {} at {}://{}:{}; Ctrl-C ends", fmt::join(engines.names(), ", "),
             flags.key.empty() ? "http" : "https", host, server.port());
}

// What cannot be read again stays as it was.
void renew(const char* what, const std::function<void()>& read) {
  try {
    read();
  } catch (const std::exception& error) {
    log().warn("the {} cannot be read, and stays as it was: {}", what, error.what());
  }
}

int run(const ServeFlags& flags) {
  const serve::HttpServerOptions server_flags = server_options(flags);
  const serve::TextLimits limits = text_limits(flags);
  const double deadline = seconds_value("--deadline", flags.deadline);
  if (!flags.page_folder.empty()) {
    require_folder("--page-dir", flags.page_folder);
  }
  ServerSignals signals;
  std::unique_ptr<serve::ApiKeys> keys = flags.keys.empty()
                                             ? std::make_unique<serve::ApiKeys>()
                                             : std::make_unique<serve::ApiKeys>(flags.keys);
  std::optional<serve::Suggestions> suggestions;
  if (!flags.suggestions.empty()) {
    suggestions.emplace(flags.suggestions);
  }
  const ServedFolders folders = served_folders(flags.models);
  WorkerBackends workers;
  const serve::EngineOptions options = engine_options(flags, folders.translation, workers);
  Engines engines(options);
  if (!folders.generation.empty()) {
    engines.generation.emplace(generation_options(flags, folders.generation, options));
  }
  if (!folders.encoding.empty()) {
    engines.encoding.emplace(encoder_options(flags, folders.encoding, options));
  }
  check_names(engines.names());
  serve::HttpServer* listening = nullptr;
  serve::Application application(
      {.service = engines.translation,
       .keys = *keys,
       .limits = limits,
       .deadline = std::chrono::duration<double>(deadline),
       .usual_beam = options_of(flags.search).beam,
       .suggestions = suggestions ? &*suggestions : nullptr,
       .generation = engines.generation ? &*engines.generation : nullptr,
       .encoding = engines.encoding ? &*engines.encoding : nullptr},
      flags.page_folder,
      [&] { return figures(engines.translation, *listening) + engines.metrics(); });
  serve::HttpServer server(
      server_flags, [&](const auto& exchange) { application.handle(exchange); },
      [&](std::string_view method, std::string_view path) {
        return application.turn_away(method, path);
      });
  listening = &server;
  announce(flags, server, engines);
  const auto grace = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * deadline) + 1000);
  signals.listen(
      [&] {
        log().info("stopping: finishing what was accepted; once more ends at once");
        server.stop(grace);
      },
      [&] {
        engines.reload();
        renew("file of API keys", [&] { keys->reload(); });
        renew("certificate", [&] { server.renew_tls(); });
        log().info("models, keys and certificate are looked at again");
      });
  server.run();
  signals.end();
  engines.close();
  return 0;
}

void add_limit_flags(CLI::App& app, ServeFlags& flags) {
  const std::string limits = "Limits";
  add_text(app, flags.keys,
           {"--api-keys", "FILE", "who may ask, and how often (docs/serving.md)", limits});
  add_text(app, flags.deadline,
           {"--deadline", "S", "seconds that a request may take (default 30)", limits});
  add_text(
      app, flags.longest_wait,
      {"--longest-wait", "S",
       "longest wait until a request starts; those that would wait longer are refused (default 2)",
       limits});
  add_text(app, flags.queue_tokens,
           {"--queue-tokens", "N", "tokens that may wait (default 262144)", limits});
  add_text(app, flags.connections,
           {"--max-connections", "N", "connections at once (default 1024)", limits});
  add_text(app, flags.body,
           {"--max-body", "BYTES", "largest body of a request (default 1048576)", limits});
  add_text(app, flags.sentences,
           {"--max-sentences", "N", "most sentences of a request (default 1000)", limits});
  add_text(app, flags.characters,
           {"--max-characters", "N", "most characters of a request (default 100000)", limits});
  add_text(
      app, flags.work,
      {"--max-work", "N",
       "beams × output tokens of all sentences of a request at most, or prompt and new tokens of "
       "a language model (default 1048576)",
       limits});
  add_text(app, flags.kv_cache,
           {"--kv-cache", "MB",
            "memory for the answers of each language model (default 1024, on a GPU 8192)", limits});
  add_text(app, flags.answers,
           {"--max-answers", "N",
            "answers that a language model generates at once (default 32, on a GPU 256)", limits});
}

void add_flags(CLI::App& app, ServeFlags& flags) {
  add_list(app, flags.models,
           {"-m,--model", "DIR…",
            "folders of translation models, one for each pair of languages, of language models, "
            "encoders and image classifiers; en-de=DIR says the pair, NAME=DIR names another "
            "model"});
  add_text(app, flags.host,
           {"--host", "ADDRESS",
            "where to listen (default 127.0.0.1: this machine alone; 0.0.0.0: everywhere)"});
  add_text(app, flags.port, {"--port", "N", "default 8080; 0: any free port"});
  add_repeated(app, flags.allow_hosts,
               {"--allow-host", "NAME",
                "a name that the server answers to besides localhost and its address; may be given "
                "several times ('*': any)"});
  add_text(app, flags.certificate,
           {"--tls-certificate", "FILE", "serve https: PEM, with its chain"});
  add_text(app, flags.key, {"--tls-key", "FILE", "the certificate's private key, PEM"});
  add_text(app, flags.origin,
           {"--allow-origin", "ORIGIN",
            "pages of other servers that may ask, in browsers (default none; '*': all)"});
  add_text(app, flags.suggestions,
           {"--suggestions", "FILE", "take better translations at /suggest, and append them here"});
  add_text(app, flags.page_folder,
           {"--page-dir", "DIR", "take the page from here, for those who work on it"});
  add_worker_flags(app, flags.workers);
  add_compute_type(app, flags.compute_type);
  add_batch_tokens(app, flags.batch_tokens);
  add_text(app, flags.batch_wait,
           {"--batch-wait", "MS", "how long a request waits for others to join (default 1)"});
  add_limit_flags(app, flags);
  add_search_flags(app, flags.search);
}

}  // namespace

Command add_serve(CLI::App& program) {
  CLI::App* app = add_command(
      program,
      {"serve",
       "serve translation, text generation, embeddings and labels over HTTP: "
       "LibreTranslate's API, OpenAI's, yona's own, and a page",
       "yona serve --model run\n"
       "yona serve --model en-de=run1 de-en=run2 --port 5000\n"
       "yona serve --model run --compute-type int8\n"
       "yona serve --model gpt2 en-de=run1\n"
       "yona serve --model all-MiniLM-L6-v2\n"
       "yona serve --model run --host 0.0.0.0 --allow-host example.org --api-keys keys.json \\\n"
       "           --tls-certificate chain.pem --tls-key key.pem\n"
       "curl -d q='Two dogs run.' -d source=en -d target=de localhost:8080/translate"});
  const auto flags = std::make_shared<ServeFlags>();
  add_flags(*app, *flags);
  return {app, [app, flags] {
            require_flag(*app, "--model", !flags->models.empty(),
                         "name the folder of a trained model");
            return run(*flags);
          }};
}

int serve_model(const std::filesystem::path& folder) {
  ServeFlags flags;
  flags.models = {folder.string()};
  flags.port = "0";
  return run(flags);
}

}  // namespace yona::cli
