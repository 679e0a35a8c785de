// int8 weights as a file of a model folder, written once by `yona convert --quantize int8` and then
// used without conversion.
//
// model.int8.safetensors holds, under yona's names, vectors in f32, and each matrix as products
// read it (Int8Weights): `NAME.int8`, `NAME.scales` and `NAME.sums`. Parameters that are multiplied
// with as one are one matrix, their names joined by '+'.
#pragma once

#include <filesystem>
#include <vector>

#include "yona/io/safetensors.h"
#include "yona/nn/parameters.h"
#include "yona/tensor/quantised_weights.h"

namespace yona {

inline constexpr const char* kInt8File = "model.int8.safetensors";

bool has_int8_weights(const std::filesystem::path& folder);

class Int8WeightsFile {
 public:
  // Reads the folder's file, compares it with checksums.json where that is there, copies the
  // vectors into the parameters and finds the matrices. Throws IoError when it cannot be read,
  // FormatError naming the file and tensor when something is damaged, missing or does not fit the
  // parameters.
  Int8WeightsFile(const std::filesystem::path& folder, const Parameters& parameters);

  // Gives them its matrices, which live as long as this object.
  void add_to(QuantisedWeights& weights) const;

 private:
  void read_vector(const NamedArray& array, const Parameters& parameters);
  void find_matrix(const NamedArray& values, const Parameters& parameters);
  void check_complete(const Parameters& parameters) const;

  SafetensorsFile file_;
  std::vector<QuantisedWeights::Matrix> matrices_;
  std::int64_t found_ = 0;  // elements of the parameters
};

// What happens to a matrix that no product asked for. refuse: it was never read from its file.
enum class UnusedMatrices : std::uint8_t { refuse, keep };
// Writes the file: the matrices as they have been asked for, all else in f32. Throws IoError, and
// InvalidArgument naming a parameter that cannot be written because it was never used.
void write_int8_weights(const std::filesystem::path& path, const Parameters& parameters,
                        const QuantisedWeights& weights,
                        UnusedMatrices unused = UnusedMatrices::refuse);

}  // namespace yona
