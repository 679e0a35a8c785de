// What a model folder's files look like from outside, to notice that they have changed.
#pragma once

#include <filesystem>
#include <string>

namespace yona::serve {

struct FolderLook {
  std::string signature{};      // changes when a file is written, replaced, added or removed
  double rested_seconds = 1e9;  // since the last change

  // Files that were written a moment ago may be followed by others. The clock of a file server may
  // be another: the same twice, here and in the look before, is at rest too.
  bool is_at_rest(const std::string& before) const;
};

// At the files that loading the folder's model may read.
FolderLook look_at(const std::filesystem::path& folder);

}  // namespace yona::serve
