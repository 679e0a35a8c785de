// The kinds of errors that yona throws: one base class, and what a caller may want to tell apart.
// The edges answer: `cli` prints one line and picks the exit code, `serve` picks the HTTP status.
#pragma once

#include <stdexcept>

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

// The work was given up because the caller asked for that; nothing is wrong, and what it worked on
// can be used again.
class Interrupted : public Error {
 public:
  using Error::Error;
};

}  // namespace yona
