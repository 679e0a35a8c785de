// The messages, from tensorflow/core/util/event.proto and framework/summary.proto:
//
//   Event      { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary =
//   5;
//                SessionLog session_log = 7; }
//   Summary    { repeated Value value = 1; }   Value { string tag = 1; float simple_value = 2; }
//   SessionLog { Status status = 1; }          START = 1

#include "yona/train/tensorboard.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <system_error>
#include <unistd.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/base/protobuf.h"

namespace yona {

namespace {

constexpr std::size_t kFlushBytes = 64U << 10U;

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  constexpr std::uint32_t kCastagnoliReflected = 0x82f63b78U;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kCastagnoliReflected : 0U);
    }
    table[byte] = crc;
  }
  return table;
}();

template <class T>
std::string raw(T value) {
  std::string text(sizeof value, '\0');
  std::memcpy(text.data(), &value, sizeof value);
  return text;
}

// TensorFlow stores a CRC rotated and shifted, as the CRC of data holding a CRC would be weak.
std::string masked_crc(std::string_view data) {
  const std::uint32_t crc = crc32c(data);
  return raw(((crc >> 15U) | (crc << 17U)) + 0xa282ead8U);
}

// What every Event begins with.
std::string event(double wall_time, std::int64_t step) {
  std::string out;
  protobuf::append_key(out, 1, protobuf::fixed64);
  out += raw(wall_time);
  if (step != 0) {
    protobuf::append_key(out, 2, protobuf::varint);
    protobuf::append_varint(out, static_cast<std::uint64_t>(step));
  }
  return out;
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// events.out.tfevents.TIME.HOST.PID.N: TensorBoard wants the word and reads files in name order.
std::string file_name() {
  static std::atomic<int> count{0};
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) {
    host = {'h', 'o', 's', 't'};
  }
  return fmt::format("events.out.tfevents.{:010}.{}.{}.{}", static_cast<std::int64_t>(unix_time()),
                     host.data(), ::getpid(), count++);
}

}  // namespace

std::uint32_t crc32c(std::string_view data) {
  std::uint32_t crc = ~0U;
  for (const char byte : data) {
    crc = kCrcTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xffU] ^ (crc >> 8U);
  }
  return ~crc;
}

std::string tensorboard_record(std::string_view data) {
  const std::string length = raw(static_cast<std::uint64_t>(data.size()));
  return length + masked_crc(length) + std::string(data) + masked_crc(data);
}

std::string scalar_event(double wall_time, std::int64_t step, std::string_view tag, float value) {
  std::string scalar;
  protobuf::append_bytes(scalar, 1, tag);
  protobuf::append_key(scalar, 2, protobuf::fixed32);
  scalar += raw(value);
  std::string summary;
  protobuf::append_bytes(summary, 1, scalar);
  std::string out = event(wall_time, step);
  protobuf::append_bytes(out, 5, summary);
  return out;
}

TensorBoardWriter::TensorBoardWriter(const std::filesystem::path& dir, std::int64_t resumed_from) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  check<IoError>(!error, "cannot make folder {}: {}", dir.string(), error.message());
  path_ = dir / file_name();
  file_ = std::make_unique<FileWriter>(path_);
  std::string version = event(unix_time(), 0);
  protobuf::append_bytes(version, 3, "brain.Event:2");
  pending_ += tensorboard_record(version);
  if (resumed_from > 0) {
    std::string start;
    protobuf::append_key(start, 1, protobuf::varint);
    protobuf::append_varint(start, 1);
    std::string restart = event(unix_time(), resumed_from + 1);
    protobuf::append_bytes(restart, 7, start);
    pending_ += tensorboard_record(restart);
  }
  flush();
}

TensorBoardWriter::~TensorBoardWriter() {
  try {
    flush();
  } catch (const IoError& error) {
    log().warn("the last TensorBoard events are lost: {}", error.what());
  }
}

void TensorBoardWriter::scalar(std::string_view tag, std::int64_t step, double value) {
  pending_ += tensorboard_record(scalar_event(unix_time(), step, tag, static_cast<float>(value)));
  if (pending_.size() >= kFlushBytes) {
    flush();
  }
}

void TensorBoardWriter::flush() {
  const std::string events = std::move(pending_);
  pending_.clear();  // also when writing fails: the file's end is then unusable anyway
  file_->write(events);
}

}  // namespace yona
