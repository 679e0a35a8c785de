// From yaml-cpp's events: its document tree is slow for a vocabulary of 60,000 entries.

#include "yona/io/yaml_json.h"

#include <charconv>
#include <sstream>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::size_t kDeepest = 32;

template <class T>
bool reads_as(const std::string& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Json plain_scalar(const std::string& text) {
  if (text == "true" || text == "false") {
    return text == "true";
  }
  std::int64_t whole = 0;
  double real = 0;
  if (reads_as(text, whole)) {
    return whole;
  }
  // from_chars also takes "nan" and "infinity", which are words here
  if (text.find_first_of("0123456789") != std::string::npos && reads_as(text, real)) {
    return real;
  }
  return text;
}

class YamlEvents : public YAML::EventHandler {
 public:
  explicit YamlEvents(std::string_view where) : where_(where) {}

  Json take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    require(documents_++ == 0, mark, "a second document begins");
  }
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    require(false, mark, "aliases (*) are not read");
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (wants_key()) {
      begin_member("~", mark);
    } else {
      place(nullptr);
    }
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    require(is_utf8(value), mark, "a text is not UTF-8");
    if (wants_key()) {
      begin_member(value, mark);
    } else {
      place(tag == "?" ? plain_scalar(value) : Json(value));
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    open(Json::array(), mark);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(Json::object(), mark);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    Json* node;
    Json* value = nullptr;  // of a map: where the value of the last key goes
  };

  void require(bool condition, const YAML::Mark& mark, std::string_view reason) const {
    check<FormatError>(condition, "{}:{}: {}", where_, mark.line + 1, reason);
  }
  bool wants_key() const {
    return !open_.empty() && open_.back().node->is_object() && open_.back().value == nullptr;
  }
  void begin_member(const std::string& key, const YAML::Mark& mark) {
    Open& map = open_.back();
    const auto [member, is_new] = map.node->emplace(key, nullptr);
    check<FormatError>(is_new, "{}:{}: the key '{}' is repeated", where_, mark.line + 1, key);
    map.value = &*member;
  }
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Open& parent = open_.back();
    if (parent.node->is_array()) {
      return &parent.node->emplace_back(std::move(value));
    }
    *parent.value = std::move(value);
    return std::exchange(parent.value, nullptr);
  }
  void open(Json value, const YAML::Mark& mark) {
    require(!wants_key(), mark, "a list or a map cannot be a key");
    require(open_.size() < kDeepest, mark, "nested too deeply");
    open_.push_back({place(std::move(value))});
  }

  std::string_view where_;
  Json root_;
  // Nodes inside of which the document stands; addresses stay valid, as a list or map grows only
  // while it is the innermost.
  std::vector<Open> open_;
  int documents_ = 0;
};

}  // namespace

Json parse_yaml_json(std::string_view text, std::string_view where) {
  check<FormatError>(text.find('\0') == std::string_view::npos, "{}: not YAML: it holds NUL bytes",
                     where);
  std::istringstream stream{std::string(text)};
  YamlEvents events(where);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(events)) {
    }
  } catch (const YAML::Exception& error) {
    fail<FormatError>("{}:{}: not valid YAML: {}", where, error.mark.line + 1, error.msg);
  }
  return events.take();
}

Json read_yaml(const std::filesystem::path& path) {
  return parse_yaml_json(read_file(path), path.string());
}

}  // namespace yona
