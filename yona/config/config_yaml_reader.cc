// YAML → ConfigNode, from yaml-cpp's events: they carry line numbers, and show anchors and repeated
// keys, which its document tree hides.

#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "yona/base/error.h"
#include "yona/config/config_yaml.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20U;
constexpr std::size_t kDeepestYaml = 16;  // nothing in a configuration is deeper than six

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view name) : name_(name) {}

  ConfigNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    require(documents_++ == 0, mark, "a second document begins; a configuration is one document");
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& /*anchor*/) override {
    refuse(mark,
           "anchors and aliases (& and *) are not used here: write the value where it is "
           "needed, in quotes if it begins with & or *");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { OnAnchor(mark, ""); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    require(!wants_key(), mark, "a key is missing before ':'");
    place({}, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    require(is_utf8(value), mark,
            "a text is not UTF-8 once its escapes are read; write the character itself");
    if (wants_key()) {
      begin_member(value, mark);
    } else {
      place(ConfigNode::scalar(value), mark);
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(ConfigNode::list({}), mark, tag, anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(ConfigNode::map(), mark, tag, anchor);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    ConfigNode* node;
    bool has_key = false;  // of a map: its last member waits for a value
  };

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view reason) const {
    fail<FormatError>("{}:{}: {}", name_, mark.line + 1, reason);
  }
  void require(bool condition, const YAML::Mark& mark, std::string_view reason) const {
    if (!condition) {
      refuse(mark, reason);
    }
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      OnAnchor(mark, "");
    }
  }
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {  // "!" means quoted
    require(tag.empty() || tag == "?" || tag == "!", mark,
            fmt::format("the tag {} is not used here: write the plain value", tag));
  }
  bool wants_key() const {
    return !open_.empty() && open_.back().node->kind == ConfigNode::Kind::map &&
           !open_.back().has_key;
  }

  void begin_member(const std::string& key, const YAML::Mark& mark) {
    Open& map = open_.back();
    for (const ConfigMember& member : map.node->members) {
      require(member.name != key, mark,
              fmt::format("the key '{}' is repeated; it is on line {} already", key,
                          member.value.line));
    }
    ConfigMember& member = map.node->members.emplace_back(ConfigMember{.name = key, .value = {}});
    member.value.line = mark.line + 1;
    map.has_key = true;
  }

  // Puts a finished or an opening node where the document stands, and returns its place.
  ConfigNode* place(ConfigNode node, const YAML::Mark& mark) {
    node.line = mark.line + 1;
    if (open_.empty()) {
      root_ = std::move(node);
      return &root_;
    }
    Open& parent = open_.back();
    if (parent.node->kind == ConfigNode::Kind::list) {
      return &parent.node->items.emplace_back(std::move(node));
    }
    parent.has_key = false;
    node.line = parent.node->members.back().value.line;  // the key's line is where users look
    return &(parent.node->members.back().value = std::move(node));
  }

  void open(ConfigNode node, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    require(!wants_key(), mark, "a list or a map cannot be a key; is a bracket left open?");
    require(open_.size() < kDeepestYaml, mark,
            fmt::format("nested deeper than {} levels", kDeepestYaml));
    open_.push_back({place(std::move(node), mark)});
  }

  std::string_view name_;
  ConfigNode root_;
  std::vector<Open> open_;  // nodes inside of which the document stands; addresses stay valid, as
                            // a list or map grows only while it is the innermost
  int documents_ = 0;
};

// yaml-cpp guesses encodings and replaces what it cannot read; a configuration is UTF-8 text.
void check_text(std::string_view text, std::string_view name) {
  check<FormatError>(text.size() <= kLargestFile,
                     "{}: {} bytes are too many for a configuration; is this another file?", name,
                     text.size());
  int line = 1;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    check<FormatError>(code >= 0x20U || byte == '\n' || byte == '\r' || byte == '\t',
                       "{}:{}: byte 0x{:02x} is not text; a configuration is YAML", name, line,
                       code);
    line += byte == '\n' ? 1 : 0;
  }
  check<FormatError>(is_utf8(text), "{}: not UTF-8; a configuration is YAML in UTF-8", name);
}

}  // namespace

ConfigNode parse_yaml(std::string_view text, std::string_view name) {
  check_text(text, name);
  // yaml-cpp 0.7 takes a final line break for the end of a quote that was never closed.
  const std::size_t end = text.find_last_not_of(" \t\r\n") + 1;
  std::istringstream stream{std::string(text.substr(0, end))};
  TreeBuilder builder(name);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    fail<FormatError>("{}:{}: not valid YAML: {}", name, error.mark.line + 1, error.msg);
  }
  return builder.take();
}

}  // namespace yona
