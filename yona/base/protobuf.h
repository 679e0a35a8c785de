// Writing protocol buffers by hand, for the few messages of foreign formats that yona writes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yona::protobuf {

enum WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

inline void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U) {
    out += static_cast<char>(value | 0x80U);
  }
  out += static_cast<char>(value);
}

inline void append_key(std::string& out, std::uint32_t field, WireType type) {
  append_varint(out, (static_cast<std::uint64_t>(field) << 3U) | type);
}

inline void append_bytes(std::string& out, std::uint32_t field, std::string_view content) {
  append_key(out, field, bytes);
  append_varint(out, content.size());
  out += content;
}

}  // namespace yona::protobuf
