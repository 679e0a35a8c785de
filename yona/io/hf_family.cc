// The list of families, names by their patterns, and what keeps a model out of those that yona
// writes.

#include "yona/io/hf_family.h"

#include <array>
#include <cctype>
#include <optional>

#include <fmt/format.h>

namespace yona {

namespace {

// What @ and # stood for, in order.
using Matches = std::vector<std::string_view>;

std::optional<std::string_view> take_wildcard(char wildcard, std::string_view text) {
  if (wildcard == '@') {
    for (const std::string_view stack : {"encoder", "decoder"}) {
      if (text.starts_with(stack)) {
        return stack;
      }
    }
    return std::nullopt;
  }
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
    ++digits;
  }
  return digits == 0 ? std::nullopt : std::optional(text.substr(0, digits));
}

// Removes what the pattern matches from the front of `text`; nothing when it does not match.
std::optional<Matches> take_pattern(std::string_view pattern, std::string_view& text) {
  Matches matches;
  for (const char c : pattern) {
    if (c == '@' || c == '#') {
      const auto found = take_wildcard(c, text);
      if (!found) {
        return std::nullopt;
      }
      matches.push_back(*found);
      text.remove_prefix(found->size());
    } else if (!text.empty() && text.front() == c) {
      text.remove_prefix(1);
    } else {
      return std::nullopt;
    }
  }
  return matches;
}

std::string filled(std::string_view pattern, const Matches& matches) {
  std::string name;
  std::size_t next = 0;
  for (const char c : pattern) {
    if (c == '@' || c == '#') {
      name += matches[next++];
    } else {
      name += c;
    }
  }
  return name;
}

bool heads_fill_model(const TransformerConfig& config) {
  const HeadShape heads = config.head_shape();
  return heads.heads * heads.d_k == config.d_model && heads.heads * heads.d_v == config.d_model;
}

}  // namespace

std::optional<std::string> renamed(std::string_view name, const Renaming& rule) {
  const auto matches = take_pattern(rule.ours, name);
  const bool is_beginning = rule.ours.ends_with('.');
  if (!matches || name.empty() == is_beginning || name.find('.') != std::string_view::npos) {
    return std::nullopt;
  }
  return filled(rule.theirs, *matches) + std::string(name);
}

std::span<const HfFamily* const> hf_families() {
  static const std::array<const HfFamily*, 7> kFamilies = {
      &marian_family(),  &pegasus_family(), &bart_family(), &mbart_family(),
      &m2m_100_family(), &t5_family(),      &mt5_family()};
  return kFamilies;
}

const HfFamily* find_family(std::string_view model_type) {
  for (const HfFamily* family : hf_families()) {
    if (family->model_type == model_type) {
      return family;
    }
  }
  return nullptr;
}

std::vector<std::string> huggingface_names(const std::string& parameter, const HfFamily& family) {
  std::vector<std::string> names;
  for (const std::span<const Renaming> rules : {family.names, family.more_names}) {
    for (const Renaming& rule : rules) {
      if (const auto name = renamed(parameter, rule)) {
        names.push_back(*name);
      }
    }
  }
  return names;
}

std::vector<std::string> constant_parameters(const ModelDescription& d) {
  const HfFamily* family = find_family(d.family);
  std::vector<std::string> names;
  if (family != nullptr && d.config.departures.projection_bias) {
    names.emplace_back("projection.bias");
  }
  if (family != nullptr && family->saves_positions && d.config.positions == PositionKind::learned) {
    names.insert(names.end(), {"encoder.positions.weight", "decoder.positions.weight"});
  }
  return names;
}

std::string common_obstacle(const ModelDescription& d) {
  if (!d.family.empty()) {
    return fmt::format("it was read from a {} folder, and stays such a model", d.family);
  }
  if (d.config.arch != Arch::transformer) {
    return fmt::format("the architecture is {}", enum_name(d.config.arch));
  }
  if (!heads_fill_model(d.config)) {
    const HeadShape heads = d.config.head_shape();
    return fmt::format("{} heads of d_k {} and d_v {} do not make d_model {}", heads.heads,
                       heads.d_k, heads.d_v, d.config.d_model);
  }
  if (d.config.attention != AttentionKind::scaled) {
    return fmt::format("attention is {}", enum_name(d.config.attention));
  }
  if (d.config.reversible) {
    return "the layers are reversible";
  }
  if (d.config.departures.norm_kind != NormKind::layer) {
    return fmt::format("the norm is {}", enum_name(d.config.departures.norm_kind));
  }
  if (d.config.positions != PositionKind::sinusoidal) {
    return d.config.positions == PositionKind::none
               ? "there are no positions"
               : fmt::format("positions are {}", enum_name(d.config.positions));
  }
  if (d.config.position_base != 10000) {
    return fmt::format("the base of the positions is {} and not 10000", d.config.position_base);
  }
  if (!d.shared_vocabulary || d.config.source_vocabulary != d.config.target_vocabulary) {
    return "source and target have their own vocabularies";
  }
  return "";
}

std::string remedy(const ModelDescription& d) {
  std::vector<std::string_view> settings;
  if (d.config.arch != Arch::transformer) {
    settings.emplace_back("model.arch=transformer");
  }
  if (!heads_fill_model(d.config)) {
    settings.emplace_back("model.d_k=auto model.d_v=auto");
  }
  if (d.config.attention != AttentionKind::scaled) {
    settings.emplace_back("model.attention=scaled");
  }
  if (d.config.reversible) {
    settings.emplace_back("model.reversible=false");
  }
  if (d.config.departures.norm_kind != NormKind::layer) {
    settings.emplace_back("model.norm_kind=layer");
  }
  if (d.config.positions != PositionKind::sinusoidal) {
    settings.emplace_back("model.positions=sinusoidal");
  }
  if (d.config.position_base != 10000) {
    settings.emplace_back("model.position_base=10000");
  }
  if (!d.shared_vocabulary || d.config.source_vocabulary != d.config.target_vocabulary) {
    settings.emplace_back("data.shared_vocabulary=true");
  }
  if (d.config.norm == NormPosition::pre && d.config.tying != Tying::all &&
      d.config.tying != Tying::inputs) {
    settings.emplace_back("model.tying=all");
  }
  return fmt::format("{}", fmt::join(settings, " "));
}

}  // namespace yona
