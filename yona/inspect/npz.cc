// AttentionMaps as a NumPy archive: .npy files (format 1.0 of numpy.lib.format) in a zip whose
// entries are stored as they are (APPNOTE.TXT 6.3, without zip64). Little-endian, as the machine.

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <zlib.h>

#include "yona/base/error.h"
#include "yona/inspect/export.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kMostZipBytes = 0xFFFF0000U;  // zip counts in 32 bits
constexpr std::uint16_t kZipVersion = 20;
constexpr std::uint16_t kNewYear1980 = (1U << 5U) | 1U;  // a fixed date: equal input, equal bytes
constexpr std::uint16_t kUtf8Names = 1U << 11U;

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

class ZipWriter {
 public:
  void add(const std::string& name, const std::string& content) {
    check(archive_.size() + directory_.size() + content.size() < kMostZipBytes,
          "attention: the archive would pass 4 GB; give a shorter sentence");
    const auto offset = static_cast<std::uint32_t>(archive_.size());
    const auto sum = static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    put<std::uint32_t>(archive_, 0x04034B50);
    put_description(archive_, name, content, sum);
    archive_ += name + content;
    put<std::uint32_t>(directory_, 0x02014B50);
    put<std::uint16_t>(directory_, kZipVersion);
    put_description(directory_, name, content, sum);
    put<std::uint16_t>(directory_, 0);  // comment
    put<std::uint16_t>(directory_, 0);  // disk
    put<std::uint16_t>(directory_, 0);  // attributes
    put<std::uint32_t>(directory_, 0);
    put<std::uint32_t>(directory_, offset);
    directory_ += name;
    ++entries_;
  }

  std::string finish() && {
    const auto offset = static_cast<std::uint32_t>(archive_.size());
    archive_ += directory_;
    put<std::uint32_t>(archive_, 0x06054B50);
    put<std::uint16_t>(archive_, 0);  // disks
    put<std::uint16_t>(archive_, 0);
    put<std::uint16_t>(archive_, entries_);
    put<std::uint16_t>(archive_, entries_);
    put<std::uint32_t>(archive_, static_cast<std::uint32_t>(directory_.size()));
    put<std::uint32_t>(archive_, offset);
    put<std::uint16_t>(archive_, 0);  // comment
    return std::move(archive_);
  }

 private:
  // What the entry and the directory say alike.
  static void put_description(std::string& out, const std::string& name, const std::string& content,
                              std::uint32_t sum) {
    const auto size = static_cast<std::uint32_t>(content.size());
    put<std::uint16_t>(out, kZipVersion);
    put<std::uint16_t>(out, kUtf8Names);
    put<std::uint16_t>(out, 0);  // stored
    put<std::uint16_t>(out, 0);  // midnight
    put<std::uint16_t>(out, kNewYear1980);
    put<std::uint32_t>(out, sum);
    put<std::uint32_t>(out, size);
    put<std::uint32_t>(out, size);
    put<std::uint16_t>(out, static_cast<std::uint16_t>(name.size()));
    put<std::uint16_t>(out, 0);  // extra field
  }

  std::string archive_, directory_;
  std::uint16_t entries_ = 0;
};

// The header of an .npy file; the data begins at a multiple of 64.
std::string npy_header(const std::string& type, const std::string& shape) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  constexpr std::size_t kBefore = 10;
  header.append(63 - (kBefore + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  put<std::uint16_t>(out, static_cast<std::uint16_t>(header.size()));
  return out + header;
}

std::string part_array(const AttentionMaps& maps, AttentionPart part) {
  std::string out =
      npy_header("<f4", fmt::format("{}, {}, {}, {}", maps.layers(part), maps.heads(),
                                    maps.query_tokens(part).size(), maps.key_tokens(part).size()));
  for (std::int64_t layer = 0; layer < maps.layers(part); ++layer) {
    const std::vector<float>& weights = maps.at(part, layer).weights;
    out.append(reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float));
  }
  return out;
}

// Strings of equal length in UTF-32, filled up with zeros.
std::string token_array(const std::vector<std::string>& tokens) {
  std::vector<std::u32string> wide;
  wide.reserve(tokens.size());
  std::size_t longest = 1;
  for (const std::string& token : tokens) {
    wide.push_back(utf32_of(token));
    longest = std::max(longest, wide.back().size());
  }
  std::string out = npy_header(fmt::format("<U{}", longest), fmt::format("{},", tokens.size()));
  for (std::u32string& token : wide) {
    token.resize(longest, U'\0');
    out.append(reinterpret_cast<const char*>(token.data()), token.size() * sizeof(char32_t));
  }
  return out;
}

}  // namespace

std::string attention_npz(const AttentionMaps& maps) {
  ZipWriter zip;
  for (const AttentionPart part : kAttentionParts) {
    zip.add(fmt::format("{}.npy", name_of(part)), part_array(maps, part));
  }
  zip.add("source_tokens.npy", token_array(maps.source_tokens));
  zip.add("target_tokens.npy", token_array(maps.target_tokens));
  zip.add("decoder_tokens.npy", token_array(maps.decoder_tokens));
  return std::move(zip).finish();
}

}  // namespace yona
