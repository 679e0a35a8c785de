// The header of a safetensors file, parsed and checked: the part that reads hostile bytes.
//
// Layout: 8 bytes little-endian header length N, N bytes of JSON, then the data. The JSON maps each
// tensor's name to {"dtype", "shape", "data_offsets": [begin, end]}, offsets counted from the end
// of the header; "__metadata__" maps strings to strings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/dtype.h"
#include "yona/base/input_file.h"
#include "yona/base/shape.h"

namespace yona {

struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::uint64_t begin = 0;  // byte offset in the data
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsEntry> entries;  // by offset; together they cover the data without holes
  std::uint64_t data_begin = 0;           // offset of the data in the file
};

// Parses the header at the front of `file`, the bytes of the whole file called `file_name` in
// messages. Throws FormatError naming the file, and the tensor where there is one, for anything
// that the format does not allow; what is returned lies inside `file`.
SafetensorsHeader parse_safetensors_header(std::string_view file, std::string_view file_name);

// The same of a file of which the header alone is read. Throws as InputFile::read() too.
SafetensorsHeader read_safetensors_header(const InputFile& file);

// "F32" and the like: how the format writes a type.
std::string_view safetensors_name(DType dtype);

}  // namespace yona
