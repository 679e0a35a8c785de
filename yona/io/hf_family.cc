// What keeps a model out of both families.

#include "yona/io/hf_family.h"

#include <fmt/format.h>

namespace yona {

std::string common_obstacle(const ModelDescription& d) {
  const std::int64_t heads = d.heads;
  if (heads * d.d_k != d.d_model || heads * d.d_v != d.d_model) {
    return fmt::format("{} heads of d_k {} and d_v {} do not make d_model {}", d.heads, d.d_k,
                       d.d_v, d.d_model);
  }
  if (d.attention != "scaled") {
    return fmt::format("attention is {}", d.attention);
  }
  if (d.positions != "sinusoidal") {
    return d.positions == "none" ? "there are no positions" : "positions are learned";
  }
  if (d.position_base != 10000) {
    return fmt::format("the base of the positions is {} and not 10000", d.position_base);
  }
  if (!d.shared_vocabulary || d.source_vocab != d.target_vocab) {
    return "source and target have their own vocabularies";
  }
  return "";
}

}  // namespace yona
