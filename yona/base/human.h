// Quantities as people read them: 37,000 · 63.1 M · 1.5 GB · 2 h 05 min.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yona {

std::string grouped(std::int64_t value);  // 1,234,567
// "1 line", "37,000 lines": the noun takes an s unless there is one.
std::string counted(std::uint64_t count, std::string_view noun);
std::string short_count(std::int64_t value);  // 512 · 8.2 k · 63.1 M · 1.2 G
std::string short_bytes(std::int64_t bytes);  // 512 B · 8.2 kB · 63.1 MB · 1.5 GB, in thousands
std::string short_duration(double seconds);   // 12 s · 3 min 05 s · 2 h 05 min · 3 d 04 h

}  // namespace yona
