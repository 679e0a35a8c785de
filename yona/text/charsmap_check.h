// Is a table of characters safe to follow? SentencePiece walks it without looking, so that one that
// is damaged, or made to do harm, would be read beyond its end.
#pragma once

#include <string_view>

namespace yona {

// `precompiled` is a "precompiled_charsmap" of an .spm file or of tokenizer.json, not empty. Throws
// FormatError naming `name` when following it could lead outside of it.
void check_charsmap(std::string_view precompiled, std::string_view name);

}  // namespace yona
