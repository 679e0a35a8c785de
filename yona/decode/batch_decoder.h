// Decodes a batch of sentences together, a step at a time, until the last one is done. Sentences
// that are done leave the batch without affecting the others.
//
// This is the level of token ids: Translator (translator.h) is the one of text.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/decode/options.h"
#include "yona/decode/request.h"
#include "yona/decode/resident_decoder.h"
#include "yona/decode/search_watch.h"
#include "yona/models/sequence_model.h"
#include "yona/tensor/operand.h"

namespace yona {

class BatchDecoder {
 public:
  // One model or an ensemble, over one target vocabulary; they and the backend must outlive this
  // object. Throws InvalidArgument where options cannot be.
  BatchDecoder(std::vector<const SequenceModel*> models, Backend& backend,
               const DecodeOptions& options);

  // The hypotheses of each request, in order: at most n_best, at least one, best first (samples in
  // the order they were drawn). Searches on a device of their own are not watched. Throws
  // InvalidArgument for a source with more tokens than the model
  // has positions, for ids outside the vocabulary and for a prefix beyond the length limit, and
  // DeviceError when the model gives no numbers.
  std::vector<std::vector<Hypothesis>> decode(std::span<const DecodeRequest> requests,
                                              SearchWatch* watch = nullptr);

  const DecodeOptions& options() const { return options_; }
  // Maximum output tokens for a source of this length.
  std::int64_t max_length(std::int64_t source_tokens) const;
  // Most tokens of a source.
  std::int64_t max_source() const { return max_positions_; }
  std::int64_t kept_bytes() const { return region_.peak(); }

 private:
  void check_shortlist(const Backend& backend) const;
  Ids outputs_for(const DecodeRequest& request) const;
  void check_request(const DecodeRequest& request, std::size_t index) const;
  bool is_resident(std::span<const DecodeRequest> requests) const;
  std::vector<std::vector<Hypothesis>> decode_resident(std::span<const DecodeRequest> requests);

  std::vector<const SequenceModel*> models_;
  DecodeOptions options_;
  std::int64_t max_positions_ = 0;
  Region region_;
  std::vector<std::unique_ptr<RoundedWeights>> rounded_;  // of the models
  std::unique_ptr<ResidentDecoder> resident_;             // made when it is first needed
};

}  // namespace yona
