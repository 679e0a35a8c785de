// IDX files, the format of MNIST and its successors (LeCun et al. 1998; Xiao et al. 2017):
//
//   0 0 type rank   extent × rank (32 bits, big-endian)   the elements, last extent fastest
//
// Pictures are arrays of bytes with the extents images, rows, columns and, in colour, channels;
// labels have the one extent of images. Both are read plain or compressed (data/byte_source.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/data/byte_source.h"
#include "yona/data/images/labelled_images.h"

namespace yona {

struct IdxArray {
  std::vector<std::int64_t> extents;
  std::vector<std::uint8_t> bytes;
};

// Memory grows with what the file has, whatever its header says. Throws FormatError naming `name`
// for another format or type, for a file that is too short or too long.
IdxArray read_idx(ByteSource& source, const std::string& name);

// Does the (decompressed) file begin as IDX does? Throws IoError when it cannot be opened.
bool is_idx_file(const std::filesystem::path& path);

// Throws IoError, or FormatError naming the file.
LabelledImages read_idx_images(const std::filesystem::path& images);
// The same with labels.
LabelledImages read_idx_images(const std::filesystem::path& images,
                               const std::filesystem::path& labels);

// Where the labels of a file of pictures lie by the names of MNIST: train-images-idx3-ubyte.gz has
// train-labels-idx1-ubyte.gz beside it, compressed in any way. Throws IoError naming what was
// looked for.
std::filesystem::path idx_labels_of(const std::filesystem::path& images);

}  // namespace yona
