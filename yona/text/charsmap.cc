// The library's normaliser is not among its public headers everywhere, but a model of which nothing
// is known segments into unknown pieces that, put together, are the normalised text.

#include "yona/text/charsmap.h"

#include <sentencepiece_processor.h>

#include "yona/base/error.h"
#include "yona/text/charsmap_check.h"
#include "yona/text/spm_file.h"

namespace yona {

struct Charsmap::Impl {
  std::string name;
  sentencepiece::SentencePieceProcessor processor;
};

Charsmap::Charsmap(std::string_view precompiled, std::string_view name) {
  check_charsmap(precompiled, name);
  SpmFile file;
  file.pieces = {{"<unk>", 0, SpmPiece::Kind::unknown}, {"\x01", -1, SpmPiece::Kind::normal}};
  file.normalizer = {.precompiled_charsmap = std::string(precompiled),
                     .add_dummy_prefix = false,
                     .remove_extra_whitespaces = false,
                     .escape_whitespaces = false};
  auto impl = std::make_unique<Impl>();
  impl->name = name;
  const auto status = impl->processor.LoadFromSerializedProto(write_spm(file));
  check<FormatError>(status.ok(), "{}: precompiled_charsmap: {}", name, status.ToString());
  impl_ = std::move(impl);
}

Charsmap::~Charsmap() = default;
Charsmap::Charsmap(Charsmap&&) noexcept = default;
Charsmap& Charsmap::operator=(Charsmap&&) noexcept = default;

std::string Charsmap::operator()(std::string_view text) const {
  sentencepiece::ImmutableSentencePieceText pieces;
  const auto status = impl_->processor.Encode(text, pieces.mutable_proto());
  check<FormatError>(status.ok(), "{}: {}", impl_->name, status.ToString());
  std::string normalised;
  for (const auto& piece : pieces.pieces()) {
    normalised += piece.piece();
  }
  return normalised;
}

}  // namespace yona
