#include "yona/cli/model_table.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "yona/base/human.h"
#include "yona/nn/parameters.h"

namespace yona::cli {

namespace {

// encoder.layers.3.norm.weight → encoder.layers.*.norm.weight
std::string without_number(const std::string& name) {
  constexpr std::string_view kLayers = "layers.";
  const std::size_t layers = name.find(kLayers);
  if (layers == name.npos) {
    return name;
  }
  const std::size_t begin = layers + kLayers.size();
  const std::size_t end = name.find('.', begin);
  return name.substr(0, begin) + "*" + name.substr(end);
}

std::string shape_text(const Shape& shape) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(static_cast<std::size_t>(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) {
    sizes.push_back(shape[i]);
  }
  return fmt::format("{}", fmt::join(sizes, " × "));
}

// "×" is one column and two bytes.
std::string padded_left(const std::string& text, std::size_t columns) {
  const auto width = static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; }));
  return std::string(columns > width ? columns - width : 0, ' ') + text;
}

}  // namespace

ModelTable model_table(Module& model) {
  const auto backend = make_backend("meta");
  const Parameters parameters(model, *backend, Gradients::no);
  ModelTable table;
  table.parameters = parameters.count();
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::string name = without_number(entry.name);
    const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const ModelRow& known) { return known.name == name; });
    ModelRow& target =
        row != table.rows.end()
            ? *row
            : table.rows.emplace_back(ModelRow{name, shape_text(entry.value.shape()), 0, 0});
    target.copies += 1;
    target.parameters += entry.value.shape().elements();
  }
  return table;
}

Json to_json(const ModelTable& table) {
  Json rows = Json::array();
  for (const ModelRow& row : table.rows) {
    rows.push_back({{"name", row.name},
                    {"shape", row.shape},
                    {"copies", row.copies},
                    {"parameters", row.parameters}});
  }
  return rows;
}

void print(const ModelTable& table) {
  constexpr std::string_view kRow = "{:<50} {} {:>7} {:>14}\n";
  fmt::print(fmt::runtime(kRow), "name", padded_left("shape", 14), "layers", "parameters");
  for (const ModelRow& row : table.rows) {
    const bool in_layers = row.name.find("layers.*") != row.name.npos;
    fmt::print(fmt::runtime(kRow), row.name, padded_left(row.shape, 14),
               in_layers ? fmt::to_string(row.copies) : "", grouped(row.parameters));
  }
  fmt::print(fmt::runtime(kRow), "all", padded_left("", 14), "", grouped(table.parameters));
}

}  // namespace yona::cli
