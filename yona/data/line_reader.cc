// Blocks are searched for LF; a line is copied once into a buffer that is reused.

#include "yona/data/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::size_t kReadBlock = std::size_t{1} << 18U;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

void Findings::add(std::string_view file, std::uint64_t line) {
  ++count;
  if (first.size() < kShown) {
    first.push_back(fmt::format("{}:{}", file, line));
  }
}

void Findings::add(const Findings& other) {
  count += other.count;
  for (const std::string& place : other.first) {
    if (first.size() < kShown) {
      first.push_back(place);
    }
  }
}

LineReader::LineReader(const std::filesystem::path& path)
    : LineReader(open_bytes(path), path.string()) {}

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), block_(kReadBlock) {}

bool LineReader::refill() {
  begin_ = 0;
  try {
    end_ = source_->read(block_.data(), block_.size());
  } catch (const FormatError& error) {
    end_ = 0;
    fail<FormatError>("{} (after line {})", error.what(), lines_);
  }
  return end_ > 0;
}

// Collects bytes up to the next LF in line_; false when there was nothing at all.
bool LineReader::gather(bool& cut) {
  line_.clear();
  bool any = false;
  while (begin_ < end_ || refill()) {
    any = true;
    const char* from = block_.data() + begin_;
    const auto* found = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    const std::size_t count =
        found == nullptr ? end_ - begin_ : static_cast<std::size_t>(found - from);
    const std::size_t room = kLongestLine - line_.size();
    line_.append(from, std::min(count, room));
    cut = cut || count > room;
    begin_ += count + (found == nullptr ? 0 : 1);
    if (found != nullptr) {
      break;
    }
  }
  return any;
}

bool LineReader::next(Line& line) {
  line = {};
  if (!gather(line.cut)) {
    return false;
  }
  ++lines_;
  finish(line);
  return true;
}

void LineReader::finish(Line& line) {
  line.text = line_;
  if (lines_ == 1 && line.text.starts_with(kByteOrderMark)) {
    line.text.remove_prefix(kByteOrderMark.size());
    ++byte_order_marks_;
  }
  if (!line.cut && line.text.ends_with('\r')) {
    line.text.remove_suffix(line.text.size() - (line.text.find_last_not_of('\r') + 1));
    ++carriage_returns_;
  }
  // A cut line may end inside a character; its encoding is not judged.
  if (!line.cut && !is_utf8(line.text)) {
    line.valid_utf8 = false;
    invalid_utf8_.add(name_, lines_);
  }
}

}  // namespace yona
