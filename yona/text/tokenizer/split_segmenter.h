// Steps in front of another segmenter: characters composed (Unicode NFC), and the text cut into
// words by a pattern.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "yona/text/segmenter.h"
#include "yona/text/tokenizer/split_pattern.h"

namespace yona {

struct SplitSteps {
  bool composes = false;                          // NFC
  std::shared_ptr<const SplitPattern> pattern{};  // null: a text is one word
};

class SplitSegmenter : public Segmenter {
 public:
  SplitSegmenter(SplitSteps steps, std::shared_ptr<const Segmenter> inner)
      : steps_(std::move(steps)), inner_(std::move(inner)) {}

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::string decode(std::span<const std::int32_t> ids) const override {
    return inner_->decode(ids);
  }

 private:
  SplitSteps steps_;
  std::shared_ptr<const Segmenter> inner_;
};

// Text in Unicode's normal form C.
std::string composed(std::string_view text);

}  // namespace yona
