#include "yona/text/tokenizer/split_segmenter.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>

#include "yona/base/error.h"

namespace yona {

std::string composed(std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* form = icu::Normalizer2::getNFCInstance(error);
  check(U_SUCCESS(error) != 0, "tokenizer: ICU has no normal form C: {}", ::u_errorName(error));
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  form->normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())),
                      sink, nullptr, error);
  check(U_SUCCESS(error) != 0, "tokenizer: a text has no normal form: {}", ::u_errorName(error));
  return result;
}

void SplitSegmenter::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::string normal;
  if (steps_.composes) {
    normal = composed(text);
    text = normal;
  }
  if (!steps_.pattern) {
    inner_->encode(text, ids);
    return;
  }
  for (const std::string_view word : steps_.pattern->words(text)) {
    inner_->encode(word, ids);
  }
}

}  // namespace yona
