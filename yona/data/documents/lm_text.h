// What a language model learns from: text as tokens, in examples of the context's length. They are
// in a token cache, so that a corpus may be larger than memory.
//
//   stream      documents one after another, each ended by a token; an example is a window of the
//               stream. The windows of an epoch cover it once, from a start that the epoch draws.
//   documents   an example is a document, or a piece of a long one
//
// Side 0 is what the model reads, side 1 what it predicts: the same, one token later.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/thread_pool.h"
#include "yona/data/documents/document_reader.h"
#include "yona/data/examples.h"
#include "yona/data/token_cache.h"
#include "yona/text/tokenizer/text_tokenizer.h"

namespace yona {

enum class TextPacking : std::uint8_t { stream, documents };
constexpr std::array<std::string_view, 2> enum_names(TextPacking) {
  return {"stream", "documents"};
}

struct LmTextOptions {
  std::string name = "train";
  std::vector<std::filesystem::path> files;
  DocumentUnit unit = DocumentUnit::file;
  TextPacking packing = TextPacking::stream;
  std::int64_t context = 1024;
  std::int32_t start_id = -1;        // documents: before each, so that its first token is predicted
  std::int32_t end_id = -1;          // after each document; -1: nothing
  bool draws_start = true;           // of a stream's windows, each epoch
  std::string tokenizer_identity{};  // equal for equal tokenisers
};

class LmText : public Examples {
 public:
  // Opens or makes the cache in `folder`. Throws FormatError where the files hold no text, and as
  // DocumentReader and TokenCache do.
  static LmText open(const LmTextOptions& options, const TextTokenizer& tokenizer,
                     const std::filesystem::path& folder, ThreadPool& pool);

  Lengths lengths(std::uint64_t example) const override;
  void fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens, const Draw& draw,
            Batch& batch) const override;

  std::int64_t tokens() const { return tokens_; }                // of the text, ends included
  std::uint64_t bytes() const { return cache_.report().lines; }  // of the text

 private:
  LmText(LmTextOptions options, TokenCache cache);
  struct Window {
    std::int64_t document, begin, length;  // what is predicted: tokens begin … of the document
  };
  Window window(std::uint64_t example, const Draw& draw) const;
  void append_window(const Window& window, Batch& batch) const;
  void append_stream(std::int64_t begin, std::int64_t count, std::vector<std::int32_t>& ids) const;

  LmTextOptions options_;
  TokenCache cache_;
  std::int64_t tokens_ = 0;
  std::vector<std::uint64_t> first_piece_;  // documents: examples before each, and in all
};

}  // namespace yona
