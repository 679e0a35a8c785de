#include "yona/text/pair_encoder.h"

#include <utility>

namespace yona {

bool SideEncoder::encode(std::string_view line, std::vector<std::int32_t>& ids) const {
  ids.insert(ids.end(), before.begin(), before.end());
  const std::size_t begin = ids.size();
  subword.encode(line, ids);
  const bool has_text = ids.size() > begin;
  ids.insert(ids.end(), after.begin(), after.end());
  return has_text;
}

void SideEncoder::sample(std::string_view line, double alpha, std::uint64_t key,
                         std::vector<std::int32_t>& ids) const {
  ids.insert(ids.end(), before.begin(), before.end());
  subword.sample(line, alpha, key, ids);
  ids.insert(ids.end(), after.begin(), after.end());
}

SideEncoder SideEncoder::with_tags(const std::vector<std::string>& tags) const {
  SideEncoder tagged = *this;
  for (const std::string& tag : tags) {
    tagged.before.push_back(subword.tag(tag));
  }
  return tagged;
}

PairEncoder::PairEncoder(const SubwordPair& subwords)
    : source{subwords.source, {}, {subwords.source.vocabulary().end()}},
      target{subwords.target, {}, {subwords.target.vocabulary().end()}} {}

PairEncoder::PairEncoder(const SubwordPair& subwords, const TextFrame& frame, std::string content)
    : source{subwords.source, frame.before_source, frame.after_source},
      target{subwords.target, frame.before_target, frame.after_target},
      identity(std::move(content)) {}

std::vector<std::int32_t> PairEncoder::source_ids(std::string_view line,
                                                  const std::vector<std::string>& tags) const {
  std::vector<std::int32_t> ids;
  const bool has_text = source.with_tags(tags).encode(line, ids);
  return has_text ? ids : std::vector<std::int32_t>();
}

}  // namespace yona
