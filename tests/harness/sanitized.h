// Whether the tests run under a sanitizer, which takes memory and calls of its own.
#pragma once

namespace yona {

#ifdef YONA_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace yona
