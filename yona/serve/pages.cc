#include "yona/serve/pages.h"

#include <algorithm>
#include <array>

#include "yona/base/error.h"
#include "yona/base/input_file.h"

namespace yona {

extern const std::string_view kAttentionView, kAttentionViewStyle;  // of yona/inspect/, embedded

}  // namespace yona

namespace yona::serve {

namespace {

namespace fs = std::filesystem;

// A name is a file of the one folder there is: no path leads out of it.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find('/') == name.npos &&
         name.find('\\') == name.npos && name.find('\0') == name.npos;
}

std::optional<std::string> content_of(std::string_view name, const fs::path& folder) {
  if (!is_plain_name(name)) {
    return std::nullopt;
  }
  const fs::path path = folder / name;
  std::error_code error;
  if (!folder.empty() && fs::is_regular_file(path, error)) {
    return read_file(path);
  }
  const auto files = page_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const PageFile& file) { return file.name == name; });
  return found == files.end() ? std::nullopt : std::optional(std::string(found->content));
}

void serve_file(Exchange& exchange, std::string_view name, const fs::path& folder) {
  std::optional<std::string> content = content_of(name, folder);
  if (!content) {
    throw HttpError(404, fmt::format("the page has no file {}", exchange.request().path));
  }
  exchange.respond({.content_type = std::string(content_type_of(name)),
                    .body = std::move(*content),
                    .headers = {{"Content-Security-Policy",
                                 "default-src 'self'; object-src 'none'; base-uri 'none'; "
                                 "frame-ancestors 'none'"},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Cache-Control", "no-cache"}}});
}

}  // namespace

std::vector<PageFile> page_files() {
  const auto own = own_page_files();
  std::vector<PageFile> files(own.begin(), own.end());
  files.push_back({"attention_view.js", kAttentionView});
  files.push_back({"attention_view.css", kAttentionViewStyle});
  return files;
}

std::string_view content_type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTypes = {
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".json", "application/json"},
       {".svg", "image/svg+xml"},
       {".png", "image/png"},
       {".txt", "text/plain; charset=utf-8"},
       {".webmanifest", "application/manifest+json"}}};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) {
      return type;
    }
  }
  return "application/octet-stream";
}

std::vector<Route> page_routes(const fs::path& folder, const std::string& first) {
  static constexpr std::string_view kPrefix = "/page/";
  return {{.method = "GET",
           .path = "/",
           .summary = "The page.",
           .content_type = "text/html",
           .handler =
               [folder, first](const std::shared_ptr<Exchange>& exchange) {
                 serve_file(*exchange, first, folder);
               }},
          {.method = "GET",
           .path = "/page/*",
           .summary = "The page's other files.",
           .content_type = "*/*",
           .handler = [folder](const std::shared_ptr<Exchange>& exchange) {
             serve_file(*exchange, exchange->request().path.substr(kPrefix.size()), folder);
           }}};
}

}  // namespace yona::serve
