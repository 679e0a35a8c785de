#include "yona/train/run_folder.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "yona/base/error.h"
#include "yona/io/atomic_file.h"

namespace yona {

namespace {

// Files and folders, without hidden ones, by name.
std::vector<std::string> visible_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && name != "lost+found") {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_there(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

void check_run_folder(const std::filesystem::path& run, bool resume) {
  const bool is_run =
      is_there(run / "checkpoints") || is_there(run / ".lock");  // locked before all
  const bool has_weights = is_there(run / "checkpoints") || is_there(run / "model.safetensors");
  check(resume || !is_run || !has_weights,
        "{}: this folder holds a run already; use --resume to go on with it, or another --output",
        run.string());
  if (is_run) {
    return;
  }
  const std::vector<std::string> files = visible_files(run);
  check(files.empty(),
        "{}: this folder holds {}{}, and is not a run of `yona train`; name a new "
        "folder with --output",
        run.string(),
        fmt::join(files.begin(), files.begin() + std::min<std::ptrdiff_t>(3, std::ssize(files)),
                  ", "),
        files.size() > 3 ? fmt::format(" and {} more", files.size() - 3) : "");
}

void prepare_folder(const std::filesystem::path& run, bool resume) {
  check_run_folder(run, resume);
  std::error_code error;
  std::filesystem::create_directories(run, error);
  check<IoError>(!error, "{}: cannot make the output folder: {}", run.string(), error.message());
}

std::filesystem::path init_of(const std::filesystem::path& run, const std::filesystem::path& init,
                              bool resume) {
  const std::filesystem::path note = run / "init.txt";
  if (!init.empty()) {
    replace_file(note, std::filesystem::absolute(init).string());
    return init;
  }
  if (!resume) {
    std::error_code error;
    std::filesystem::remove(note, error);
  }
  if (!is_there(note)) {
    return {};
  }
  std::ifstream file(note, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace yona
