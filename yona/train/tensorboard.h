// Event files that TensorBoard reads: scalars by tag and step, in TensorFlow's record format.
//
// A record is [length u64][masked CRC-32C of the length u32][data][masked CRC-32C of the data u32],
// little-endian; the data is one `Event` protocol buffer. Only scalars are written, by hand: eight
// fields do not justify a protobuf dependency.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "yona/base/file_writer.h"

namespace yona {

//   TensorBoardWriter board(run / "tensorboard");
//   board.scalar("train/loss", step, loss);
//
// Each writer opens a file of its own in `dir` (which it makes); TensorBoard joins them. A run that
// goes on from a checkpoint gives the step it goes on from: TensorBoard then forgets what an
// earlier run logged from there on. Events reach the file at flush(), at about a thousand events,
// and at the end. Throws IoError.
class TensorBoardWriter {
 public:
  explicit TensorBoardWriter(const std::filesystem::path& dir, std::int64_t resumed_from = 0);
  ~TensorBoardWriter();
  TensorBoardWriter(const TensorBoardWriter&) = delete;
  TensorBoardWriter& operator=(const TensorBoardWriter&) = delete;

  void scalar(std::string_view tag, std::int64_t step, double value);
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::unique_ptr<FileWriter> file_;
  std::string pending_;
};

// The parts of the format, for tests: the checksum (Castagnoli's polynomial), a record around
// `data`, and the bytes of one scalar's Event. `wall_time` is in seconds since 1970.
std::uint32_t crc32c(std::string_view data);
std::string tensorboard_record(std::string_view data);
std::string scalar_event(double wall_time, std::int64_t step, std::string_view tag, float value);

}  // namespace yona
