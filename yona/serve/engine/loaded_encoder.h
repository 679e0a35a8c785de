// An encoder or an image classifier of the server, loaded: it computes sentences of jobs together.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yona/encode/encoder_model.h"
#include "yona/encode/image_model.h"
#include "yona/serve/encoder_service.h"
#include "yona/serve/engine/served_folder.h"

namespace yona::serve {

// From the folder's files, without its weights. Throws IoError and FormatError.
EncoderSummary encoder_summary(const ServedFolder& place);

// The pixels that a picture of a request may have: fewer than kMostPixels, because small files can
// hold large pictures.
inline constexpr std::int64_t kMostServedPixels = std::int64_t{1} << 25U;

// For one thread at a time.
class LoadedEncoder {
 public:
  // The backend must outlive this object. Throws as EncoderModel::load() and ImageModel::load().
  LoadedEncoder(const ServedFolder& place, Backend& backend, const ComputeType& type);

  // One result for each sentence, in order; all are of jobs that ask for the same. Throws
  // InvalidArgument and FormatError for what is wrong with any of them.
  std::vector<EncoderResult> compute(std::span<const Unit> units);

 private:
  std::vector<EncoderResult> labels_of_pictures(std::span<const Unit> units);
  std::vector<EncoderResult> labels_of_texts(std::span<const Unit> units);
  std::vector<EncoderResult> vectors(std::span<const Unit> units);

  std::unique_ptr<EncoderModel> texts_;  // one of these
  std::unique_ptr<ImageModel> pictures_;
};

}  // namespace yona::serve
