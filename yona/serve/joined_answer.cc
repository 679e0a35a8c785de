#include "yona/serve/joined_answer.h"

#include <algorithm>

namespace yona::serve {

std::vector<TextGroup> grouped(const std::vector<std::string>& texts,
                               const std::vector<std::string>& ways) {
  std::vector<TextGroup> groups;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const TextGroup& one) { return one.way == ways[i]; });
    if (group == groups.end()) {
      group = groups.insert(group, {.way = ways[i], .places = {}});
    }
    group->places.push_back(i);
    group->texts.push_back(texts[i]);
  }
  return groups;
}

}  // namespace yona::serve
