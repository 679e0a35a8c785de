// A config.json of Hugging Face's, read key by key, with a FormatError naming file and key for what
// is missing, of another type, or beyond what yona can run.
#pragma once

#include <string>
#include <string_view>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/io/json_builder.h"
#include "yona/tensor/ops/feed_forward.h"

namespace yona {

class ForeignConfig {
 public:
  // Both must outlive this object; `where` is the file's name.
  ForeignConfig(const Json& json, std::string_view where) : json_(json), where_(where) {}

  std::string_view where() const { return where_; }
  // Is there such a key, with a value other than null?
  bool has(const char* key) const { return json_.contains(key) && !json_[key].is_null(); }

  template <class T>
  T get(const char* key) const {
    const auto found = json_.find(key);
    check<FormatError>(found != json_.end(), "{}: no \"{}\"", where_, key);
    try {
      return found->get<T>();
    } catch (const Json::exception&) {
      fail<FormatError>("{}: \"{}\" cannot be {}", where_, key, brief_json(*found));
    }
  }

  template <class T>
  T get(const char* key, T otherwise) const {
    return json_.contains(key) ? get<T>(key) : otherwise;
  }

  // A size or a token id: no silent wrap-around of what does not fit an int.
  int size(const char* key) const;
  int size(const char* key, int otherwise) const { return has(key) ? size(key) : otherwise; }
  // A token id that may also be a list of one.
  int token(const char* key) const;
  int token(const char* key, int otherwise) const { return has(key) ? token(key) : otherwise; }

  FeedForwardActivation activation(const char* key) const;
  // A key that is either absent or says what the family always is.
  void must_be(const char* key, const Json& value) const;

 private:
  int small_number(const Json& value, const char* key) const;

  const Json& json_;
  std::string_view where_;
};

}  // namespace yona
