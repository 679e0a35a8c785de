#include "yona/io/json_builder.h"

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

std::string words_of_json_error(std::string_view text) {
  constexpr std::size_t kMost = 300;
  const std::size_t end = text.find("] ");
  if (text.starts_with("[json.exception") && end != std::string_view::npos) {
    text.remove_prefix(end + 2);
  }
  return text.size() <= kMost ? lossy_utf8(text) : lossy_utf8(text.substr(0, kMost)) + "…";
}

std::string brief_json(const Json& value) {
  constexpr std::size_t kMost = 100;
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= kMost ? text : lossy_utf8(text.substr(0, kMost)) + "…";
}

Json* JsonBuilder::placed(Json value) {
  if (levels_.empty()) {
    root_ = std::move(value);
    return &root_;
  }
  const Level& level = levels_.back();
  if (level.json->is_array()) {
    auto& items = level.json->get_ref<Json::array_t&>();
    items.push_back(std::move(value));
    return &items.back();
  }
  *level.value = std::move(value);
  return level.value;
}

bool JsonBuilder::open(Json value) {
  check<FormatError>(levels_.size() < most_depth_, "{}: nested deeper than {} levels", name_,
                     most_depth_);
  Json* const json = placed(std::move(value));
  levels_.push_back({json, nullptr, {}});
  return true;
}

// A key that is given again replaces the value.
bool JsonBuilder::key(std::string& name) {
  constexpr std::size_t kFew = 16;
  Level& level = levels_.back();
  auto& object = level.json->get_ref<Json::object_t&>();
  if (object.size() < kFew) {
    level.value = &object[name];
    return true;
  }
  if (level.keys.empty()) {
    for (std::size_t i = 0; i < object.size(); ++i) {
      level.keys.emplace(object.Container::operator[](i).first, i);
    }
  }
  const auto [found, is_new] = level.keys.try_emplace(name, object.size());
  if (is_new) {
    object.Container::emplace_back(std::move(name), Json());
  }
  level.value = &object.Container::operator[](found->second).second;
  return true;
}

bool JsonBuilder::parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                              const Json::exception& error) {
  fail<FormatError>("{}: not valid JSON: {}", name_, words_of_json_error(error.what()));
}

}  // namespace yona
