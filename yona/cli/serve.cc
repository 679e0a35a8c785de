// `yona serve`: translation models, language models, encoders and image classifiers over HTTP, and
// the page.

#include <memory>
#include <optional>

#include <fmt/ranges.h>

#include "yona/base/log.h"
#include "yona/cli/commands.h"
#include "yona/cli/serve_flags.h"
#include "yona/cli/served_engines.h"
#include "yona/cli/served_folders.h"
#include "yona/cli/server_signals.h"
#include "yona/serve/application.h"
#include "yona/serve/http_server.h"
#include "yona/serve/metrics.h"

namespace yona::cli {

namespace {

void announce(const ServeFlags& flags, const serve::HttpServer& server,
              const ServedEngines& engines) {
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
  const double deadline = deadline_seconds(flags);
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
  ServedEngines engines(options);
  if (!folders.generation.empty()) {
    engines.generation.emplace(generation_options(flags, folders.generation, options));
  }
  if (!folders.encoding.empty()) {
    engines.encoding.emplace(encoder_options(flags, folders.encoding, options));
  }
  engines.check_names();
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
      flags.page_folder, [&] {
        return serve::metric_text("yona_connections", "gauge", "Connections that are open.",
                                  static_cast<double>(listening->connections())) +
               engines.metrics();
      });
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
  add_serve_flags(*app, *flags);
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
