#include "yona/tasks/question_answering/memory_folder.h"

#include <optional>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/io/foreign_config.h"
#include "yona/io/json_file.h"
#include "yona/io/safetensors_folder.h"
#include "yona/io/weight_copy.h"

namespace yona {

Json memory_network_config(const MemoryNetworkConfig& config,
                           const std::vector<std::string>& words) {
  Json model = {{"task", "question-answering"},
                {"d_model", config.d_model},
                {"hops", config.hops},
                {"memory", config.memory},
                {"tying", enum_name(config.tying)},
                {"position_encoding", config.position_encoding},
                {"temporal_encoding", config.temporal_encoding},
                {"words", words}};
  Json result = Json::object();
  result["model_type"] = "yona-memory-network";
  result["yona"] = std::move(model);
  return result;
}

MemoryNetworkInfo read_memory_info(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "config.json";
  const std::string where = path.string();
  const Json json = read_json(path);
  const Json own = json.is_object() ? json.value("yona", Json()) : Json();
  check<FormatError>(own.is_object() && own.value("task", Json()) == "question-answering",
                     "{}: is not that of a memory network", where);
  const ForeignConfig fields(own, where);
  MemoryNetworkInfo info;
  info.words = fields.get<std::vector<std::string>>("words");
  info.config.vocabulary = static_cast<std::int64_t>(info.words.size());
  info.config.d_model = fields.size("d_model");
  info.config.hops = fields.size("hops");
  info.config.memory = fields.size("memory");
  const auto tying = fields.get<std::string>("tying");
  const std::optional<MemoryTying> known = enum_value<MemoryTying>(tying);
  check<FormatError>(known.has_value(), "{}: \"tying\" is '{}'; adjacent and layer-wise are known",
                     where, tying);
  info.config.tying = *known;
  info.config.position_encoding = fields.get<bool>("position_encoding");
  info.config.temporal_encoding = fields.get<bool>("temporal_encoding");
  try {
    check_config(info.config);
  } catch (const InvalidArgument& error) {
    fail<FormatError>("{}: {}", where, error.what());
  }
  return info;
}

void write_memory_weights(const std::filesystem::path& path, const Parameters& parameters) {
  const std::vector<float> host = parameters.weights().to_vector<float>();
  std::vector<NamedArray> arrays;
  arrays.reserve(parameters.entries().size());
  for (const Parameters::Entry& entry : parameters.entries()) {
    NamedArray array;
    array.name = entry.name;
    array.shape = entry.value.shape();
    array.data = host.data() + entry.offset;
    arrays.push_back(std::move(array));
  }
  write_safetensors(path, arrays, {{"format", "pt"}});
}

void read_memory_weights(const std::filesystem::path& folder, const Parameters& parameters) {
  const SafetensorsFolder weights(folder);
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::optional<NamedArray> found = weights.find(entry.name);
    check<FormatError>(found.has_value(), "{}: the weights have no tensor '{}'", folder.string(),
                       entry.name);
    check<FormatError>(found->shape == entry.value.shape(), "{}: tensor '{}' has shape {}, not {}",
                       folder.string(), entry.name, found->shape, entry.value.shape());
    copy_weights(entry.value, *found);
  }
}

}  // namespace yona
