#include "yona/data/documents/document_reader.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::size_t kPart = std::size_t{1} << 20U;      // bytes of a file at once
constexpr std::size_t kLongest = std::size_t{16} << 20U;  // without a place to cut at

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_blank(std::string_view text) {
  for (const char c : text) {
    if (!is_space(c)) {
      return false;
    }
  }
  return true;
}

// How many bytes from the front are whole characters; the last one may be left out.
std::size_t whole_characters(std::string_view text) {
  std::size_t end = text.size();
  for (int back = 0; back < 4 && end > 0; ++back) {
    --end;
    const auto byte = static_cast<unsigned char>(text[end]);
    if (byte < 0x80U) {
      return end + 1;
    }
    if (byte >= 0xC0U) {
      return end;
    }
  }
  return end;
}

}  // namespace

std::size_t cut_after_line(std::string_view text, std::size_t least) {
  for (std::size_t at = text.find('\n', least); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    const bool follows_text = at > 0 && !is_space(text[at - 1]);
    if (follows_text && at + 1 < text.size() && !is_space(text[at + 1])) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

DocumentReader::DocumentReader(std::vector<std::filesystem::path> files, DocumentUnit unit)
    : files_(std::move(files)), unit_(unit) {}

bool DocumentReader::open_next() {
  if (next_file_ == files_.size()) {
    return false;
  }
  const std::filesystem::path& path = files_[next_file_++];
  if (unit_ == DocumentUnit::line) {
    lines_ = std::make_unique<LineReader>(path);
  } else {
    bytes_ = open_bytes(path);
    held_.clear();
    at_end_ = false;
  }
  return true;
}

bool DocumentReader::next(Part& part) {
  for (;;) {
    if ((unit_ == DocumentUnit::line && lines_ && next_line(part)) ||
        (unit_ == DocumentUnit::file && bytes_ && next_of_file(part))) {
      return true;
    }
    if (!open_next()) {
      return false;
    }
  }
}

bool DocumentReader::next_line(Part& part) {
  LineReader::Line line;
  while (lines_->next(line)) {
    check<FormatError>(line.valid_utf8, "{}:{}: is not UTF-8", lines_->name(), lines_->lines());
    check<FormatError>(!line.cut,
                       "{}:{}: a line of more than {} bytes; with data.documents=file a "
                       "document may be longer",
                       lines_->name(), lines_->lines(), LineReader::kLongestLine);
    if (!is_blank(line.text)) {
      part = {std::string(line.text), true};
      return true;
    }
  }
  return false;
}

bool DocumentReader::next_of_file(Part& part) {
  std::size_t cut = cut_after_line(held_, kPart);
  while (cut == std::string::npos && !at_end_ && held_.size() < kLongest) {
    const std::size_t before = held_.size();
    held_.resize(before + kPart);
    const std::size_t got = bytes_->read(held_.data() + before, kPart);
    held_.resize(before + got);
    at_end_ = got < kPart;
    cut = cut_after_line(held_, kPart);
  }
  if (cut == std::string::npos) {
    // Something is kept, so that the part at the end of the file is never an empty one.
    const std::string_view held = held_;
    cut = at_end_ ? held.size() : whole_characters(held.substr(0, held.size() - 1));
  }
  part = {held_.substr(0, cut), at_end_ && cut == held_.size()};
  held_.erase(0, cut);
  if (part.ends) {
    bytes_.reset();
  }
  check<FormatError>(is_utf8(part.text), "{}: is not UTF-8", files_[next_file_ - 1].string());
  return !part.text.empty();
}

}  // namespace yona
