// Tags and special pieces around a segmenter.

#include "yona/text/subword.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/text/piece_scan.h"
#include "yona/text/piece_segmenter.h"
#include "yona/text/spm_segmenter.h"

namespace yona {

namespace {

SpecialPieces sorted(SpecialPieces special) {
  std::sort(special.silent.begin(), special.silent.end());
  std::stable_sort(special.whole.begin(), special.whole.end(),
                   [](const auto& a, const auto& b) { return a.text.size() > b.text.size(); });
  return special;
}

bool is_reserved(std::string_view piece) {
  return piece.starts_with("<reserved_") && piece.ends_with(">");
}

}  // namespace

struct Subword::Impl {
  std::string name;
  std::shared_ptr<const Segmenter> segmenter;
  std::shared_ptr<const SpmSegmenter> spm;  // the same, where it is one
  std::shared_ptr<const Vocabulary> vocabulary;
  SpecialPieces special;
  std::vector<std::string> leading_tags;  // longest first

  void find_tags();
  std::string_view take_tags(std::string_view line, std::vector<std::int32_t>& ids) const;
  void encode(std::string_view text, const char* begins_at, std::vector<std::int32_t>& ids) const;
  const SpmSegmenter& require_spm(std::string_view what) const;
};

Subword::Subword(std::string model, std::shared_ptr<const Vocabulary> vocabulary,
                 std::string_view name, SpecialPieces special) {
  auto impl = std::make_shared<Impl>();
  impl->name = name;
  impl->special = sorted(std::move(special));
  impl->spm = std::make_shared<const SpmSegmenter>(std::move(model), std::move(vocabulary), name);
  impl->segmenter = impl->spm;
  impl->vocabulary = impl->spm->vocabulary();
  impl->find_tags();
  impl_ = std::move(impl);
}

Subword Subword::load(const std::filesystem::path& path,
                      std::shared_ptr<const Vocabulary> vocabulary) {
  return Subword(read_file(path), std::move(vocabulary), path.string());
}

Subword::Subword(std::shared_ptr<const Segmenter> segmenter,
                 std::shared_ptr<const Vocabulary> vocabulary, std::string_view name,
                 SpecialPieces special) {
  auto impl = std::make_shared<Impl>();
  impl->name = name;
  impl->special = sorted(std::move(special));
  impl->segmenter = std::move(segmenter);
  impl->vocabulary = std::move(vocabulary);
  impl->find_tags();
  impl_ = std::move(impl);
}

// Tags are the user-defined pieces, and for OPUS-MT the vocabulary's >>xx<<, which are not in the
// SentencePiece models.
void Subword::Impl::find_tags() {
  if (spm) {
    leading_tags = spm->user_defined();
  }
  if (!spm || !spm->has_own_vocabulary()) {
    for (std::int32_t id = 0; id < vocabulary->size(); ++id) {
      if (is_language_tag(vocabulary->piece(id))) {
        leading_tags.push_back(vocabulary->piece(id));
      }
    }
  }
  std::stable_sort(leading_tags.begin(), leading_tags.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

// Appends the ids of the tags that the line begins with; gives what follows them.
std::string_view Subword::Impl::take_tags(std::string_view line,
                                          std::vector<std::int32_t>& ids) const {
  const auto next_tag = [&] {
    return std::find_if(leading_tags.begin(), leading_tags.end(),
                        [&](const std::string& tag) { return line.starts_with(tag); });
  };
  for (auto tag = next_tag(); tag != leading_tags.end(); tag = next_tag()) {
    ids.push_back(vocabulary->id(*tag));
    line.remove_prefix(tag->size());
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  }
  return line;
}

// `begins_at` is where the whole text begins; null when it began before this part.
void Subword::Impl::encode(std::string_view text, const char* begins_at,
                           std::vector<std::int32_t>& ids) const {
  const auto encode_part = [&](std::string_view part) {
    if (part.empty()) {
      return;
    }
    if (part.data() == begins_at) {
      segmenter->encode(part, ids);
    } else {
      segmenter->encode_rest(part, ids);
    }
  };
  std::vector<std::string_view> pieces;
  for (const WholePiece& piece : special.whole) {
    pieces.emplace_back(piece.text);
  }
  PieceScan scan(text, std::move(pieces));
  std::string_view rest = text;
  const auto offset = [&] { return static_cast<std::size_t>(rest.data() - text.data()); };
  for (PieceScan::Found found; (found = scan.next(offset())).at != std::string_view::npos;) {
    const WholePiece& piece = special.whole[found.piece];
    const std::size_t at = found.at - offset();
    encode_part(without_space(rest.substr(0, at), false, piece.strips_left));
    ids.push_back(vocabulary->id(piece.text));
    rest = without_space(rest.substr(at + piece.text.size()), piece.strips_right, false);
  }
  encode_part(rest);
}

void Subword::encode(std::string_view line, std::vector<std::int32_t>& ids) const {
  impl_->encode(impl_->take_tags(line, ids), line.data(), ids);
}

void Subword::encode_rest(std::string_view text, std::vector<std::int32_t>& ids) const {
  impl_->encode(text, nullptr, ids);
}

const SpmSegmenter& Subword::Impl::require_spm(std::string_view what) const {
  check<NotImplemented>(spm != nullptr, "{}: {} needs a SentencePiece model, and this is none",
                        name, what);
  return *spm;
}

void Subword::sample(std::string_view line, double alpha, std::uint64_t key,
                     std::vector<std::int32_t>& ids) const {
  const SpmSegmenter& spm = impl_->require_spm("drawing segmentations");
  spm.sample(impl_->take_tags(line, ids), alpha, key, ids);
}

std::string Subword::decode(std::span<const std::int32_t> ids) const {
  const Vocabulary& vocabulary = *impl_->vocabulary;
  const std::vector<std::int32_t>& silent = impl_->special.silent;
  std::vector<std::int32_t> loud;
  for (const std::int32_t id : ids) {
    vocabulary.piece(id);  // checks the range
    if (id != vocabulary.end() && id != vocabulary.pad() &&
        !std::binary_search(silent.begin(), silent.end(), id)) {
      loud.push_back(id);
    }
  }
  return impl_->segmenter->decode(loud);
}

std::int32_t Subword::tag(std::string_view tag) const {
  const std::optional<std::int32_t> id = impl_->vocabulary->find(tag);
  check(id.has_value(),
        "{}: tag '{}' is not in the vocabulary; name it when the sub-words are trained, or give "
        "it one of their reserved pieces",
        impl_->name, tag);
  return *id;
}

Subword Subword::with_tags(const std::vector<std::string>& tags) const {
  if (tags.empty()) {
    return *this;
  }
  const SpmSegmenter& spm = impl_->require_spm("adding tags");
  std::string model = spm.model();
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<std::size_t>(impl_->vocabulary->size()));
  for (std::int32_t id = 0; id < impl_->vocabulary->size(); ++id) {
    pieces.push_back(impl_->vocabulary->piece(id));
  }
  bool changed = false;
  for (const std::string& tag : tags) {
    check_tag(tag);
    if (std::find(pieces.begin(), pieces.end(), tag) != pieces.end()) {
      continue;
    }
    const auto place = std::find_if(pieces.begin(), pieces.end(), is_reserved);
    check(place != pieces.end(), "{}: no reserved piece is left for tag '{}'", impl_->name, tag);
    model = rename_spm_piece(model, *place, tag);
    *place = tag;
    changed = true;
  }
  if (!changed) {
    return *this;
  }
  auto vocabulary = std::make_shared<const Vocabulary>(std::move(pieces), impl_->name);
  return Subword(std::move(model), spm.has_own_vocabulary() ? nullptr : std::move(vocabulary),
                 impl_->name);
}

SubwordAlgorithm Subword::algorithm() const {
  return impl_->spm ? impl_->spm->algorithm() : SubwordAlgorithm::bpe;
}
const Vocabulary& Subword::vocabulary() const { return *impl_->vocabulary; }
const std::shared_ptr<const Vocabulary>& Subword::shared_vocabulary() const {
  return impl_->vocabulary;
}
const std::string& Subword::model() const {
  static const std::string none;
  return impl_->spm ? impl_->spm->model() : none;
}

void check_tag(std::string_view tag) {
  check(!tag.empty() && tag.find_first_of(" \t\r\n,\"") == std::string_view::npos &&
            tag.find(kWordStart) == std::string_view::npos,
        "tag '{}' cannot be a piece: it must not be empty, nor hold spaces, commas, quotes or "
        "U+2581",
        tag);
}

bool is_language_tag(std::string_view tag) {
  return tag.size() > 4 && tag.starts_with(">>") && tag.ends_with("<<");
}

std::string reserved_piece(int index) { return fmt::format("<reserved_{}>", index); }

}  // namespace yona
