// Errors of yona: one base class, five kinds, and check(), which every public boundary uses.
//
// A message names the operation, what was expected, what came, and the next step; lower case.
// The edges answer: `cli` prints one line and picks the exit code, `serve` picks the HTTP status.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace yona {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Wrong use: shapes, options, configuration values. Exit code 2.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

// Bad content: files, JSON, weights, text encodings. Exit code 2.
class FormatError : public Error {
 public:
  using Error::Error;
};

// The operating system said no: missing file, full disk, permission. Exit code 1, or 2 for a
// path that the user gave and that cannot be opened for reading.
class IoError : public Error {
 public:
  using Error::Error;
};

// Memory, oneDNN, CUDA. Exit code 1.
class DeviceError : public Error {
 public:
  using Error::Error;
};

// A combination that has a meaning but no code yet; names op, dtype and device.
class NotImplemented : public Error {
 public:
  using Error::Error;
};

// check(axis < x.rank(), "softmax: axis {} is out of range for shape {}", axis, x.shape());
template <class Kind = InvalidArgument, class... Args>
void check(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) [[unlikely]] {
    throw Kind(fmt::format(message, std::forward<Args>(args)...));
  }
}

template <class Kind = InvalidArgument, class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
  throw Kind(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace yona
