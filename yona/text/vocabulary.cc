// vocab.json is one object; ids must be exactly 0 … size - 1.

#include "yona/text/vocabulary.h"

#include <utility>

#include <fmt/format.h>
#include <lzma.h>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/input_file.h"
#include "yona/base/json.h"

namespace yona {

Vocabulary::Vocabulary(std::vector<std::string> pieces, std::string_view name)
    : pieces_(std::move(pieces)) {
  ids_.reserve(pieces_.size());
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    const auto [at, added] = ids_.emplace(pieces_[id], static_cast<std::int32_t>(id));
    check<FormatError>(added, "{}: piece '{}' has two ids, {} and {}", name, pieces_[id],
                       at->second, id);
  }
  const auto required = [&](std::string_view piece) {
    const std::optional<std::int32_t> id = find(piece);
    check<FormatError>(id.has_value(), "{}: there is no '{}' piece", name, piece);
    return *id;
  };
  end_ = required(kEnd);
  unknown_ = required(kUnknown);
  pad_ = required(kPad);
}

Vocabulary Vocabulary::read(const std::filesystem::path& path) {
  return parse(read_file(path), path.string());
}

namespace {

// Gathers {"piece": id, …} as it is read: no tree of a hundred thousand values is built.
class PieceReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit PieceReader(std::string_view name) : name_(name) {}

  std::vector<std::pair<std::string, std::uint64_t>> take() { return std::move(pieces_); }

  bool key(string_t& piece) override {
    piece_ = std::move(piece);
    return true;
  }
  bool number_unsigned(number_unsigned_t id) override {
    if (depth_ != 1) {
      return false;
    }
    pieces_.emplace_back(std::move(piece_), id);
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return ++depth_ == 1 || refuse("object"); }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*size*/) override { return refuse("array"); }
  bool end_array() override { return true; }
  bool null() override { return refuse("null"); }
  bool boolean(bool value) override { return refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return refuse(fmt::format("{}", value)); }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return refuse(text);
  }
  bool string(string_t& text) override { return refuse(nlohmann::json(text).dump()); }
  bool binary(binary_t& /*bytes*/) override { return refuse("binary"); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) override {
    return false;
  }

 private:
  // Something else than an id; outside the object it is not a table.
  bool refuse(std::string_view what) const {
    check<FormatError>(depth_ == 0, "{}: the id of '{}' is {}, not a number", name_, piece_, what);
    return false;
  }

  std::string_view name_;
  std::string piece_;
  std::vector<std::pair<std::string, std::uint64_t>> pieces_;
  int depth_ = 0;
};

}  // namespace

Vocabulary Vocabulary::parse(std::string_view json, std::string_view name) {
  PieceReader reader(name);
  check<FormatError>(nlohmann::json::sax_parse(json, &reader),
                     "{}: expected a JSON object of piece: id", name);
  auto table = reader.take();
  std::vector<std::string> pieces(table.size());
  std::vector<bool> taken(table.size());
  for (auto& [piece, at] : table) {
    check<FormatError>(at < pieces.size() && !taken[at],
                       "{}: id {} of '{}' is {}; the ids must be 0 … {}, each once", name, at,
                       piece, at < pieces.size() ? "taken" : "out of range", pieces.size() - 1);
    taken[at] = true;
    pieces[at] = std::move(piece);
  }
  return Vocabulary(std::move(pieces), name);
}

std::string Vocabulary::to_json() const {
  std::string text = "{";
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    text += fmt::format("{}\n  {}: {}", id == 0 ? "" : ",", nlohmann::json(pieces_[id]).dump(), id);
  }
  return text + "\n}\n";
}

void Vocabulary::write(const std::filesystem::path& path) const {
  FileWriter file(path);
  file.write(to_json());
  file.close();
}

std::optional<std::int32_t> Vocabulary::find_text(std::string_view piece) const {
  const bool is_special = piece == "<s>" || piece == kEnd || piece == kUnknown || piece == kPad;
  return is_special ? std::nullopt : find(piece);
}

std::optional<std::int32_t> Vocabulary::find(std::string_view piece) const {
  const auto at = ids_.find(piece);
  return at == ids_.end() ? std::nullopt : std::optional(at->second);
}

const std::string& Vocabulary::piece(std::int32_t id) const {
  check(id >= 0 && id < size(), "vocabulary: id {} is out of range, there are {} pieces", id,
        size());
  return pieces_[static_cast<std::size_t>(id)];
}

std::string Vocabulary::fingerprint() const {
  std::uint64_t sum = 0;
  for (const std::string& piece : pieces_) {  // with its final NUL, which no border can hide behind
    sum = ::lzma_crc64(reinterpret_cast<const std::uint8_t*>(piece.c_str()), piece.size() + 1, sum);
  }
  return fmt::format("{:016x}", sum);
}

}  // namespace yona
