#include "yona/serve/dashboard.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include "yona/serve/pages.h"
#include "yona/serve/runs.h"
#include "yona/serve/url.h"

namespace yona::serve {

namespace {

constexpr std::string_view kRuns = "/v1/runs/";
constexpr std::string_view kEvents = "/events";
constexpr std::int64_t kMostEvents = 10'000;  // of one answer

std::int64_t first_line(const HttpRequest& request) {
  for (const auto& [name, value] : parse_form(request.query)) {
    std::int64_t line = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), line);
    if (name == "from" &&
        (error != std::errc() || end != value.data() + value.size() || line < 0)) {
      throw HttpError(400, "\"from\": expected the number of a line, from 0");
    }
    if (name == "from") {
      return line;
    }
  }
  return 0;
}

void give_events(const RunsPlace& place, Exchange& exchange) {
  const HttpRequest& request = exchange.request();
  std::string_view name = request.path;
  name.remove_prefix(kRuns.size());
  const std::vector<std::string> names = run_names(place.folder);
  if (name.ends_with(kEvents)) {
    name.remove_suffix(kEvents.size());
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw HttpError(404, fmt::format("there is no run '{}'; /v1/runs lists them", name));
  }
  RunEvents found = run_events(place.folder / name, first_line(request), kMostEvents);
  const bool is_more = static_cast<std::int64_t>(found.events.size()) == kMostEvents;
  exchange.respond(json_response(
      {{"events", std::move(found.events)}, {"next", found.next}, {"more", is_more}}));
}

}  // namespace

std::vector<Route> dashboard_routes(const RunsPlace& place, RunWatch& watch,
                                    const std::filesystem::path& page_folder) {
  std::vector<Route> routes = page_routes(page_folder, "dashboard.html");
  routes.push_back({.method = "GET",
                    .path = "/v1/runs",
                    .summary = "The runs, the one that is running first.",
                    .handler = [place](const auto& exchange) {
                      exchange->respond(json_response(runs_json(place)));
                    }});
  routes.push_back({.method = "GET",
                    .path = "/v1/watch",
                    .summary = "The runs as server-sent events: whenever one has come or grown.",
                    .content_type = "text/event-stream",
                    .handler = [&watch](const auto& exchange) { watch.add(exchange); }});
  routes.push_back({.method = "GET",
                    .path = "/v1/runs/*",
                    .summary = "A run's events from a line on: /v1/runs/NAME/events?from=N.",
                    .handler = [place](const auto& exchange) { give_events(place, *exchange); }});
  return routes;
}

struct Dashboard::Impl {
  Impl(const RunsPlace& place, const HttpServerOptions& options,
       const std::filesystem::path& page_folder)
      : watch(place),
        server(options, [this](const auto& exchange) { router.handle(exchange); }),
        port(server.port()) {
    router.add(dashboard_routes(place, watch, page_folder));
    thread = std::thread([this] { server.run(); });
  }

  RunWatch watch;
  Router router;
  HttpServer server;
  std::uint16_t port;
  std::thread thread;
};

Dashboard::Dashboard(const RunsPlace& place, const HttpServerOptions& options,
                     const std::filesystem::path& page_folder)
    : impl_(std::make_unique<Impl>(place, options, page_folder)) {}

Dashboard::~Dashboard() {
  impl_->watch.end();
  impl_->server.stop(std::chrono::milliseconds(500));
  impl_->thread.join();
}

std::uint16_t Dashboard::port() const { return impl_->port; }

}  // namespace yona::serve
