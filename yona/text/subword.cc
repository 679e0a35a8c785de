// SentencePiece's processor, with the vocabulary's numbers on its outside.

#include "yona/text/subword.h"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>

#include <sentencepiece_processor.h>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/mapped_file.h"
#include "yona/base/random.h"
#include "yona/text/subword_sampler.h"

namespace yona {

namespace {

void check_status(const sentencepiece::util::Status& status, std::string_view name) {
  check<FormatError>(status.ok(), "{}: {}", name, status.ToString());
}

// </s>, <unk> and the pieces as the model numbers them, and <pad> after the last.
std::shared_ptr<const Vocabulary> own_vocabulary(const SpmFile& file, std::string_view name) {
  std::vector<std::string> pieces;
  pieces.reserve(file.pieces.size() + 1);
  for (const SpmPiece& piece : file.pieces) {
    pieces.push_back(piece.text);
  }
  if (std::find(pieces.begin(), pieces.end(), Vocabulary::kPad) == pieces.end()) {
    pieces.emplace_back(Vocabulary::kPad);
  }
  return std::make_shared<const Vocabulary>(std::move(pieces), name);
}

// The byte that a piece such as "<0xE4>" stands for.
int byte_of(std::string_view piece, std::string_view name) {
  int byte = -1;
  if (piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with(">")) {
    std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16);
  }
  check<FormatError>(byte >= 0, "{}: the byte piece '{}' is not of the form <0x00>", name, piece);
  return byte;
}

SpecialPieces sorted(SpecialPieces special) {
  std::sort(special.silent.begin(), special.silent.end());
  std::stable_sort(special.whole.begin(), special.whole.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return special;
}

bool is_reserved(std::string_view piece) {
  return piece.starts_with("<reserved_") && piece.ends_with(">");
}

std::string text_of(const std::filesystem::path& path) {
  return std::string(MappedFile(path).bytes());
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  FileWriter file(path);
  file.write(text);
  file.close();
}

}  // namespace

struct Subword::Impl {
  std::string name;
  std::string model;
  SpmFile file;
  std::shared_ptr<const Vocabulary> vocabulary;
  sentencepiece::SentencePieceProcessor processor;
  std::vector<std::int32_t> from_spm;     // SentencePiece's id → the vocabulary's
  std::vector<int> byte_values;           // SentencePiece's id → byte, or -1
  std::vector<std::string> leading_tags;  // longest first
  // Made when something is first drawn: translating never does.
  mutable std::once_flag sampler_made;
  mutable std::unique_ptr<const SubwordSampler> sampler;
  bool has_own_vocabulary = false;

  void load();
  void find_tags();
  std::shared_ptr<const Segmenter> segmenter;  // instead of the processor
  SpecialPieces special;

  std::string_view take_tags(std::string_view line, std::vector<std::int32_t>& ids) const;
  void encode_text(std::string_view text, std::vector<std::int32_t>& ids) const;
  std::size_t find_whole(std::string_view text, const std::string*& piece) const;
  void require_spm(std::string_view what) const;
  std::string normalise(std::string_view text) const;
};

void Subword::Impl::load() {
  file = parse_spm(model, name);
  check_status(processor.LoadFromSerializedProto(model), name);
  has_own_vocabulary = vocabulary == nullptr;
  if (has_own_vocabulary) {
    vocabulary = own_vocabulary(file, name);
  }
  for (const SpmPiece& piece : file.pieces) {
    from_spm.push_back(vocabulary->id(piece.text));
    const bool is_byte = piece.kind == SpmPiece::Kind::byte;
    byte_values.push_back(is_byte ? byte_of(piece.text, name) : -1);
  }
  find_tags();
}

// Tags are the user-defined pieces, and for OPUS-MT the vocabulary's >>xx<<, which are not in the
// SentencePiece models.
void Subword::Impl::find_tags() {
  for (const SpmPiece& piece : file.pieces) {
    if (piece.kind == SpmPiece::Kind::user_defined && vocabulary->find(piece.text).has_value()) {
      leading_tags.push_back(piece.text);
    }
  }
  if (!has_own_vocabulary) {
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

// The library shows its normaliser only in newer versions; but the pieces of a segmentation, put
// together, are the normalised text.
std::string Subword::Impl::normalise(std::string_view text) const {
  const auto segmentation = [&] {
    sentencepiece::ImmutableSentencePieceText pieces;
    check_status(processor.Encode(text, pieces.mutable_proto()), name);
    return pieces;
  }();
  std::string normalised;
  for (const auto& piece : segmentation.pieces()) {
    const int byte = byte_values[piece.id()];
    if (byte >= 0) {
      normalised += static_cast<char>(byte);
    } else {
      normalised += piece.piece();
    }
  }
  return normalised;
}

Subword::Subword(std::string model, std::shared_ptr<const Vocabulary> vocabulary,
                 std::string_view name, SpecialPieces special) {
  auto impl = std::make_shared<Impl>();
  impl->name = name;
  impl->special = sorted(std::move(special));
  impl->model = std::move(model);
  impl->vocabulary = std::move(vocabulary);
  impl->load();
  impl_ = std::move(impl);
}

Subword Subword::load(const std::filesystem::path& path,
                      std::shared_ptr<const Vocabulary> vocabulary) {
  return Subword(text_of(path), std::move(vocabulary), path.string());
}

Subword::Subword(std::shared_ptr<const Segmenter> segmenter,
                 std::shared_ptr<const Vocabulary> vocabulary, std::string_view name,
                 SpecialPieces special) {
  auto impl = std::make_shared<Impl>();
  impl->name = name;
  impl->special = sorted(std::move(special));
  impl->segmenter = std::move(segmenter);
  impl->vocabulary = std::move(vocabulary);
  impl->file.algorithm = SubwordAlgorithm::bpe;
  impl->find_tags();
  impl_ = std::move(impl);
}

// Where the next whole piece begins, the longest of them; npos when there is none.
std::size_t Subword::Impl::find_whole(std::string_view text, const std::string*& piece) const {
  std::size_t first = std::string_view::npos;
  for (const std::string& candidate : special.whole) {
    const std::size_t at = text.find(candidate);
    if (at < first) {
      first = at;
      piece = &candidate;
    }
  }
  return first;
}

void Subword::encode(std::string_view line, std::vector<std::int32_t>& ids) const {
  std::string_view text = impl_->take_tags(line, ids);
  const std::string* piece = nullptr;
  for (std::size_t at = 0; (at = impl_->find_whole(text, piece)) != std::string_view::npos;) {
    if (at > 0) {
      impl_->encode_text(text.substr(0, at), ids);
    }
    ids.push_back(impl_->vocabulary->id(*piece));
    text.remove_prefix(at + piece->size());
  }
  if (!text.empty()) {
    impl_->encode_text(text, ids);
  }
}

void Subword::Impl::encode_text(std::string_view text, std::vector<std::int32_t>& ids) const {
  if (segmenter) {
    segmenter->encode(text, ids);
    return;
  }
  thread_local std::vector<int> spm_ids;  // keeps its storage from line to line
  check_status(processor.Encode(text, &spm_ids), name);
  const bool has_unknown =
      std::find(spm_ids.begin(), spm_ids.end(), processor.unk_id()) != spm_ids.end();
  if (has_unknown && !has_own_vocabulary) {
    // What this side's model does not know, the shared vocabulary may.
    std::vector<std::string> pieces;
    check_status(processor.Encode(text, &pieces), name);
    for (const std::string& piece : pieces) {
      ids.push_back(vocabulary->id(piece));
    }
    return;
  }
  for (const int id : spm_ids) {
    ids.push_back(from_spm[static_cast<std::size_t>(id)]);
  }
}

void Subword::Impl::require_spm(std::string_view what) const {
  check<NotImplemented>(segmenter == nullptr,
                        "{}: {} needs a SentencePiece model, and this is none", name, what);
}

void Subword::sample(std::string_view line, double alpha, std::uint64_t key,
                     std::vector<std::int32_t>& ids) const {
  impl_->require_spm("drawing segmentations");
  const std::string normalised = impl_->normalise(impl_->take_tags(line, ids));
  thread_local std::vector<int> spm_ids;
  spm_ids.clear();
  RandomSequence random(key);
  std::call_once(impl_->sampler_made,
                 [&] { impl_->sampler = std::make_unique<const SubwordSampler>(impl_->file); });
  impl_->sampler->sample(normalised, alpha, random, spm_ids);
  for (const int id : spm_ids) {
    ids.push_back(impl_->from_spm[static_cast<std::size_t>(id)]);
  }
}

std::string Subword::decode(std::span<const std::int32_t> ids) const {
  std::vector<std::int32_t> loud;
  std::vector<std::string_view> pieces;
  pieces.reserve(ids.size());
  const std::vector<std::int32_t>& silent = impl_->special.silent;
  for (const std::int32_t id : ids) {
    const std::string& piece = impl_->vocabulary->piece(id);
    if (id != impl_->vocabulary->end() && id != impl_->vocabulary->pad() &&
        !std::binary_search(silent.begin(), silent.end(), id)) {
      loud.push_back(id);
      pieces.emplace_back(piece);
    }
  }
  if (impl_->segmenter) {
    return impl_->segmenter->decode(loud);
  }
  std::string text;
  check_status(impl_->processor.Decode(pieces, &text), impl_->name);
  return text;
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
  impl_->require_spm("adding tags");
  std::string model = impl_->model;
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
  return Subword(std::move(model), impl_->has_own_vocabulary ? nullptr : std::move(vocabulary),
                 impl_->name);
}

SubwordAlgorithm Subword::algorithm() const { return impl_->file.algorithm; }
const Vocabulary& Subword::vocabulary() const { return *impl_->vocabulary; }
const std::shared_ptr<const Vocabulary>& Subword::shared_vocabulary() const {
  return impl_->vocabulary;
}
const std::string& Subword::model() const { return impl_->model; }

SubwordPair SubwordPair::load(const std::filesystem::path& folder) {
  auto vocabulary = std::make_shared<const Vocabulary>(Vocabulary::read(folder / "vocab.json"));
  auto target_vocabulary = vocabulary;
  if (const auto path = folder / "target_vocab.json"; std::filesystem::exists(path)) {
    target_vocabulary = std::make_shared<const Vocabulary>(Vocabulary::read(path));
  }
  Subword source = Subword::load(folder / "source.spm", vocabulary);
  if (target_vocabulary == vocabulary &&
      MappedFile(folder / "target.spm").bytes() == source.model()) {
    return {source, source};  // the library needs tens of milliseconds for a model
  }
  return {std::move(source), Subword::load(folder / "target.spm", std::move(target_vocabulary))};
}

void SubwordPair::save(const std::filesystem::path& folder) const {
  write_text(folder / "source.spm", source.model());
  write_text(folder / "target.spm", target.model());
  source.vocabulary().write(folder / "vocab.json");
  if (!has_shared_vocabulary()) {
    target.vocabulary().write(folder / "target_vocab.json");
  }
}

SubwordPair SubwordPair::with_tags(const std::vector<std::string>& tags) const {
  return {source.with_tags(tags), target.with_tags(tags)};
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
