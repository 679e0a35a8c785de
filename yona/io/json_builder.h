// Builds JSON from a parser's events, in linear time. The library's own builder takes quadratic
// time for long lists (if it has a callback) and for objects with many ordered keys: a body of a
// few hundred kilobytes would block a server for a minute.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yona/base/json.h"

namespace yona {

// The library's message without its error number. It may quote any part of the input; what is
// returned is valid UTF-8 and fits a line.
std::string words_of_json_error(std::string_view text);

// A value as messages quote it: cut to fit a line.
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
  // An array or object that is still open.
  struct Level {
    Json* json;
    Json* value = nullptr;                              // of an object's last key
    std::unordered_map<std::string, std::size_t> keys;  // of a large object
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
