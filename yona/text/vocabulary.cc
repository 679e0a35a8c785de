// vocab.json is one object; ids must be exactly 0 … size - 1.

#include "yona/text/vocabulary.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/base/file_writer.h"
#include "yona/base/json.h"
#include "yona/base/mapped_file.h"

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
  return parse(MappedFile(path).bytes(), path.string());
}

// nlohmann's own map is used here rather than the ordered Json, whose look-up is linear.
Vocabulary Vocabulary::parse(std::string_view json, std::string_view name) {
  const auto table = nlohmann::json::parse(json, nullptr, false);
  check<FormatError>(table.is_object(), "{}: expected a JSON object of piece: id", name);
  std::vector<std::string> pieces(table.size());
  std::vector<bool> taken(table.size());
  for (const auto& [piece, id] : table.items()) {
    check<FormatError>(id.is_number_unsigned(), "{}: the id of '{}' is {}, not a number", name,
                       piece, id.is_structured() ? id.type_name() : id.dump());
    const auto at = id.get<std::uint64_t>();
    check<FormatError>(at < pieces.size() && !taken[at],
                       "{}: id {} of '{}' is {}; the ids must be 0 … {}, each once", name, at,
                       piece, at < pieces.size() ? "taken" : "out of range", pieces.size() - 1);
    taken[at] = true;
    pieces[at] = piece;
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

std::optional<std::int32_t> Vocabulary::find(std::string_view piece) const {
  const auto at = ids_.find(piece);
  return at == ids_.end() ? std::nullopt : std::optional(at->second);
}

const std::string& Vocabulary::piece(std::int32_t id) const {
  check(id >= 0 && id < size(), "vocabulary: id {} is out of range, there are {} pieces", id,
        size());
  return pieces_[static_cast<std::size_t>(id)];
}

}  // namespace yona
