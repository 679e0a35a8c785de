// A lexical shortlist: which target pieces may translate which source pieces. With it the output
// layer computes some hundreds of logits instead of the whole vocabulary's (Jean et al. 2015,
// L'Hostis et al. 2016). `yona shortlist` makes it, by shortlist_counts.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yona/decode/hypothesis.h"

namespace yona {

class Shortlist {
 public:
  struct Parts {
    std::int64_t target_vocabulary = 0;
    std::vector<std::int64_t> offsets{0};  // translations of source id s: targets[offsets[s] …]
    std::vector<std::int32_t> targets{};
    std::vector<std::int32_t> always{};
    bool copies = false;       // one vocabulary: a source piece may come out as it is
    std::string vocabulary{};  // whose pieces: SubwordPair::fingerprint(); empty: not known
  };
  // Throws FormatError naming `name` when the parts do not fit together.
  explicit Shortlist(Parts parts, std::string_view name = "shortlist");

  // One safetensors file. Throws IoError or FormatError naming it.
  static Shortlist load(const std::filesystem::path& path);
  void save(const std::filesystem::path& path) const;

  // Says whose pieces the ids are; a file without it fits every vocabulary of its size.
  void set_vocabulary(std::string fingerprint) { parts_.vocabulary = std::move(fingerprint); }
  bool is_of(std::string_view fingerprint) const {
    return parts_.vocabulary.empty() || parts_.vocabulary == fingerprint;
  }

  // The ids that may come out for a source, in order, each once. Throws InvalidArgument for a
  // source id that the shortlist does not know.
  Ids candidates(const Ids& source) const;

  const std::string& name() const { return name_; }
  std::int64_t source_vocabulary() const {
    return static_cast<std::int64_t>(parts_.offsets.size()) - 1;
  }
  std::int64_t target_vocabulary() const { return parts_.target_vocabulary; }
  std::int64_t translations() const { return static_cast<std::int64_t>(parts_.targets.size()); }

 private:
  Parts parts_;
  std::string name_;  // of its file
};

// Puts ids in order, each once.
void sort_ids(Ids& ids);

}  // namespace yona
