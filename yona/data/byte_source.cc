// Files, memory, and one decompressor for each format around them. All of them pull compressed
// bytes through an Input, which counts them for messages.

#include "yona/data/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "yona/base/error.h"
#include "yona/base/file_descriptor.h"

namespace yona {

namespace {

constexpr std::size_t kArchiveBlock = std::size_t{1} << 16U;

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : name_(path.string()) {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      fail_reading(name_);
    }
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
      ::close(std::exchange(descriptor_, -1));
      errno = EISDIR;
      fail_reading(name_);
    }
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  std::size_t read(char* into, std::size_t size) override {
    std::size_t filled = 0;
    while (filled < size) {
      const ssize_t got = ::read(descriptor_, into + filled, size - filled);
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        fail_reading(name_);
      }
      if (got == 0) {
        break;
      }
      filled += static_cast<std::size_t>(got);
    }
    return filled;
  }

 private:
  std::string name_;
  int descriptor_ = -1;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view content) : left_(content) {}

  std::size_t read(char* into, std::size_t size) override {
    const std::size_t count = std::min(size, left_.size());
    std::copy_n(left_.data(), count, into);
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
};

// A block of raw bytes at a time, with the offset that messages name.
class Input {
 public:
  Input(std::unique_ptr<ByteSource> source, std::string name)
      : source_(std::move(source)), name_(std::move(name)), block_(kArchiveBlock) {}

  // What is not consumed yet; empty only at the end of the file.
  std::string_view peek() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = source_->read(block_.data(), block_.size());
    }
    return {block_.data() + begin_, end_ - begin_};
  }
  void consume(std::size_t count) {
    begin_ += count;
    offset_ += count;
  }
  [[noreturn]] void damaged(std::string_view format, std::string_view reason) const {
    fail<FormatError>("{}: {} data is damaged at byte {}: {}", name_, format, offset_, reason);
  }
  [[noreturn]] void cut_short(std::string_view format) const {
    fail<FormatError>("{}: {} data ends early, at byte {}; is the file complete?", name_, format,
                      offset_);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> block_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
};

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(Input input) : input_(std::move(input)) {}

  std::size_t read(char* into, std::size_t size) override {
    std::size_t filled = 0;
    while (filled < size) {
      const std::string_view raw = input_.peek();
      if (raw.empty()) {
        break;
      }
      const std::size_t count = std::min(size - filled, raw.size());
      std::copy_n(raw.data(), count, into + filled);
      input_.consume(count);
      filled += count;
    }
    return filled;
  }

 private:
  Input input_;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(Input input) : input_(std::move(input)) {
    constexpr int kGzipOnly = 15 + 16;
    check<DeviceError>(::inflateInit2(&stream_, kGzipOnly) == Z_OK, "gzip: out of memory");
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { ::inflateEnd(&stream_); }

  std::size_t read(char* into, std::size_t size) override {
    std::size_t filled = 0;
    while (filled < size && !done_) {
      const std::string_view raw = input_.peek();
      if (raw.empty()) {
        input_.cut_short("gzip");
      }
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));  // NOLINT: zlib
      stream_.avail_in = static_cast<uInt>(raw.size());
      stream_.next_out = reinterpret_cast<Bytef*>(into + filled);
      const std::size_t wanted = std::min(size - filled, kArchiveBlock);
      stream_.avail_out = static_cast<uInt>(wanted);
      const int result = ::inflate(&stream_, Z_NO_FLUSH);
      input_.consume(raw.size() - stream_.avail_in);
      filled += wanted - stream_.avail_out;
      if (result == Z_STREAM_END) {
        begin_next_member();
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        input_.damaged("gzip", stream_.msg == nullptr ? "not in the format" : stream_.msg);
      }
    }
    return filled;
  }

 private:
  // Another member may follow, or zeros that pad the file to a block.
  void begin_next_member() {
    bool padded = false;
    for (std::string_view raw = input_.peek(); !raw.empty(); raw = input_.peek()) {
      if (raw[0] == '\0') {
        padded = true;
        input_.consume(1);
        continue;
      }
      if (padded || raw[0] != '\x1f') {
        input_.damaged("gzip", "something else follows the compressed text");
      }
      ::inflateReset(&stream_);
      return;
    }
    done_ = true;
  }

  Input input_;
  z_stream stream_{};
  bool done_ = false;
};

class XzSource : public ByteSource {
 public:
  explicit XzSource(Input input) : input_(std::move(input)) {
    check<DeviceError>(::lzma_stream_decoder(&stream_, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK,
                       "xz: out of memory");
  }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;
  ~XzSource() override { ::lzma_end(&stream_); }

  std::size_t read(char* into, std::size_t size) override {
    std::size_t filled = 0;
    while (filled < size && !done_) {
      const std::string_view raw = input_.peek();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(raw.data());
      stream_.avail_in = raw.size();
      stream_.next_out = reinterpret_cast<std::uint8_t*>(into + filled);
      stream_.avail_out = size - filled;
      const lzma_ret result = ::lzma_code(&stream_, raw.empty() ? LZMA_FINISH : LZMA_RUN);
      input_.consume(raw.size() - stream_.avail_in);
      filled = size - stream_.avail_out;
      if (result == LZMA_STREAM_END) {
        done_ = true;
      } else if (result == LZMA_BUF_ERROR && raw.empty()) {
        input_.cut_short("xz");
      } else if (result == LZMA_MEM_ERROR) {
        fail<DeviceError>("xz: out of memory");
      } else if (result != LZMA_OK && result != LZMA_BUF_ERROR) {
        input_.damaged("xz", result == LZMA_FORMAT_ERROR    ? "something else follows"
                             : result == LZMA_OPTIONS_ERROR ? "unsupported options"
                                                            : "the content does not match");
      }
    }
    return filled;
  }

 private:
  Input input_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool done_ = false;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(Input input) : input_(std::move(input)), stream_(::ZSTD_createDStream()) {
    check<DeviceError>(stream_ != nullptr, "zstd: out of memory");
  }

  std::size_t read(char* into, std::size_t size) override {
    ZSTD_outBuffer out{into, size, 0};
    while (out.pos < size) {
      const std::string_view raw = input_.peek();
      ZSTD_inBuffer in{raw.data(), raw.size(), 0};
      const std::size_t before = out.pos;
      if (raw.empty() && frame_done_) {
        break;
      }
      const std::size_t result = ::ZSTD_decompressStream(stream_.get(), &out, &in);
      if (::ZSTD_isError(result) != 0U) {
        input_.damaged("zstd", ::ZSTD_getErrorName(result));
      }
      input_.consume(in.pos);
      frame_done_ = result == 0;
      if (raw.empty() && out.pos == before && !frame_done_) {
        input_.cut_short("zstd");
      }
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ::ZSTD_freeDStream(stream); }
  };

  Input input_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  bool frame_done_ = false;
};

bool is_zstd(std::string_view head) {
  // A frame, or a skippable frame 0x184D2A50 … 5F, little-endian.
  return head.starts_with("\x28\xB5\x2F\xFD") ||
         (head.size() >= 4 && (static_cast<std::uint8_t>(head[0]) & 0xF0U) == 0x50U &&
          head.substr(1, 3) == "\x2A\x4D\x18");
}

std::unique_ptr<ByteSource> decompressed(Input input) {
  const std::string_view head = input.peek();
  if (head.starts_with("\x1F\x8B")) {
    return std::make_unique<GzipSource>(std::move(input));
  }
  if (head.starts_with(std::string_view("\xFD"
                                        "7zXZ\0",
                                        6))) {
    return std::make_unique<XzSource>(std::move(input));
  }
  if (is_zstd(head)) {
    return std::make_unique<ZstdSource>(std::move(input));
  }
  return std::make_unique<PlainSource>(std::move(input));
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  return decompressed(Input(std::make_unique<FileSource>(path), path.string()));
}

std::unique_ptr<ByteSource> open_bytes(std::string_view content, std::string name) {
  return decompressed(Input(std::make_unique<MemorySource>(content), std::move(name)));
}

}  // namespace yona
