#include "yona/text/spm_segmenter.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <sentencepiece_processor.h>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/text/piece_segmenter.h"

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

}  // namespace

SpmSegmenter::SpmSegmenter(std::string model, std::shared_ptr<const Vocabulary> vocabulary,
                           std::string_view name)
    : name_(name),
      model_(std::move(model)),
      file_(parse_spm(model_, name)),
      has_own_vocabulary_(vocabulary == nullptr),
      vocabulary_(std::move(vocabulary)),
      processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  check_status(processor_->LoadFromSerializedProto(model_), name_);
  if (has_own_vocabulary_) {
    vocabulary_ = own_vocabulary(file_, name_);
  }
  for (const SpmPiece& piece : file_.pieces) {
    from_spm_.push_back(vocabulary_->id(piece.text));
    const bool is_byte = piece.kind == SpmPiece::Kind::byte;
    byte_values_.push_back(is_byte ? byte_of(piece.text, name_) : -1);
  }
}

SpmSegmenter::~SpmSegmenter() = default;

std::vector<std::string> SpmSegmenter::user_defined() const {
  std::vector<std::string> tags;
  for (const SpmPiece& piece : file_.pieces) {
    if (piece.kind == SpmPiece::Kind::user_defined && vocabulary_->find(piece.text).has_value()) {
      tags.push_back(piece.text);
    }
  }
  return tags;
}

void SpmSegmenter::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  thread_local std::vector<int> spm_ids;  // keeps its storage from line to line
  check_status(processor_->Encode(text, &spm_ids), name_);
  const bool has_unknown =
      std::find(spm_ids.begin(), spm_ids.end(), processor_->unk_id()) != spm_ids.end();
  if (has_unknown && !has_own_vocabulary_) {
    // What this side's model does not know, the shared vocabulary may.
    std::vector<std::string> pieces;
    check_status(processor_->Encode(text, &pieces), name_);
    for (const std::string& piece : pieces) {
      ids.push_back(vocabulary_->id(piece));
    }
    return;
  }
  for (const int id : spm_ids) {
    ids.push_back(from_spm_[static_cast<std::size_t>(id)]);
  }
}

// The library shows its normaliser only in newer versions; but the pieces of a segmentation, put
// together, are the normalised text.
std::string SpmSegmenter::normalise(std::string_view text) const {
  const auto segmentation = [&] {
    sentencepiece::ImmutableSentencePieceText pieces;
    check_status(processor_->Encode(text, pieces.mutable_proto()), name_);
    return pieces;
  }();
  std::string normalised;
  for (const auto& piece : segmentation.pieces()) {
    const int byte = byte_values_[piece.id()];
    if (byte >= 0) {
      normalised += static_cast<char>(byte);
    } else {
      normalised += piece.piece();
    }
  }
  return normalised;
}

void SpmSegmenter::sample(std::string_view text, double alpha, std::uint64_t key,
                          std::vector<std::int32_t>& ids) const {
  std::call_once(sampler_made_, [&] { sampler_ = std::make_unique<const SubwordSampler>(file_); });
  thread_local std::vector<int> spm_ids;
  spm_ids.clear();
  RandomSequence random(key);
  sampler_->sample(normalise(text), alpha, random, spm_ids);
  for (const int id : spm_ids) {
    ids.push_back(from_spm_[static_cast<std::size_t>(id)]);
  }
}

std::string SpmSegmenter::decode(std::span<const std::int32_t> ids) const {
  std::vector<std::string_view> pieces;
  pieces.reserve(ids.size());
  for (const std::int32_t id : ids) {
    pieces.emplace_back(vocabulary_->piece(id));
  }
  std::string text;
  check_status(processor_->Decode(pieces, &text), name_);
  if (has_own_vocabulary_) {
    return text;
  }
  // Pieces that only the vocabulary knows are copied by SentencePiece as they are; transformers
  // then writes a blank where a word begins, and no white space around the text.
  return std::string(without_space(replaced(text, kWordStart, " "), true, true));
}

}  // namespace yona
