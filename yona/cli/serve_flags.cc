#include "yona/cli/serve_flags.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/cli/compute_type.h"

namespace yona::cli {

namespace {

double seconds_value(const char* flag, const std::string& text) {
  return number_value(flag, text, {.least = 0, .most = 3600, .open_below = true});
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

}  // namespace

void add_serve_flags(CLI::App& app, ServeFlags& flags) {
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

// Batches of texts are the smallest that are about as fast as larger ones.
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

double deadline_seconds(const ServeFlags& flags) {
  return seconds_value("--deadline", flags.deadline);
}

}  // namespace yona::cli
