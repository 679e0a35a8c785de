#include "yona/io/label_names.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/io/foreign_config.h"

namespace yona {

std::vector<std::string> read_label_names(const Json& config, const std::string& where) {
  const Json names = config.value("id2label", Json());
  std::vector<std::string> labels;
  if (!names.is_object()) {
    const int count = std::clamp(ForeignConfig(config, where).size("num_labels", 2), 1, 1 << 20);
    for (int i = 0; i < count; ++i) {
      labels.push_back(fmt::format("LABEL_{}", i));
    }
    return labels;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = names.find(std::to_string(i));
    check<FormatError>(found != names.end() && found->is_string(),
                       "{}: \"id2label\" has {} labels, but none for {}", where, names.size(), i);
    labels.push_back(found->get<std::string>());
  }
  return labels;
}

void write_label_names(const std::vector<std::string>& labels, Json& config) {
  config["id2label"] = Json::object();
  config["label2id"] = Json::object();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    config["id2label"][std::to_string(i)] = labels[i];
    config["label2id"][labels[i]] = i;
  }
}

}  // namespace yona
