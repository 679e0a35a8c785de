// Builds JSON from a parser's events. Nlohmann's own builder takes a time that grows with the
// square of the values in a list where a callback is given, and of the keys of an object whose
// order is kept: a body of a few hundred kilobytes would hold up a server for a minute.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yona/base/json.h"

namespace yona {

// What the library says went wrong and where, without its own number for it. It may quote as much
// of the text as there is: the words are UTF-8, and as many as fit a line.
std::string words_of_json_error(std::string_view text);

// A value as messages show it: not more of it than fits a line.
std::string brief_json(const Json& value);

class JsonBuilder : public Json::json_sax_t {
 public:
  // `name` begins messages. It must outlive this object.
  JsonBuilder(std::string_view name, std::size_t most_depth)
      : name_(name), most_depth_(most_depth) {}

  Json take() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string& /*text*/) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*count*/) override { return open(Json::object()); }
  bool key(std::string& name) override;
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*count*/) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  // Throws FormatError, as open() does for what is nested too deep.
  bool parse_error(std::size_t position, const std::string& last_token,
                   const Json::exception& error) override;

 private:
  // A list or an object that has not ended.
  struct Level {
    Json* json;
    Json* value = nullptr;                              // of an object's last key
    std::unordered_map<std::string, std::size_t> keys;  // of an object with many
  };

  Json* placed(Json value);
  bool put(Json value) {
    placed(std::move(value));
    return true;
  }
  bool open(Json value);
  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view name_;
  std::size_t most_depth_;
  Json root_;
  std::vector<Level> levels_;
};

}  // namespace yona
