// The page: its files from yona/serve/page/, which are part of the program.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/serve/router.h"

namespace yona::serve {

struct PageFile {
  std::string_view name;  // "index.html"
  std::string_view content;
};

// Those that were compiled in: of yona/serve/page/, and what the page shares with `yona attention`.
std::span<const PageFile> own_page_files();
std::vector<PageFile> page_files();

// text/html and so on, by the ending; application/octet-stream for others.
std::string_view content_type_of(std::string_view name);

// "/" and "/page/NAME". With a folder, its files are read again for each request, for those who
// work on the page; what it does not have comes from the program.
std::vector<Route> page_routes(const std::filesystem::path& folder,
                               const std::string& first = "index.html");

}  // namespace yona::serve
