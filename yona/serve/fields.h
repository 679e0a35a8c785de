// The fields of requests and answers: what each is called, what it may hold, what it means.
// Requests are read by these tables, and described by them in /openapi.json, so that the two cannot
// differ.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/json.h"
#include "yona/serve/http.h"

namespace yona::serve {

enum class FieldType : std::uint8_t {
  text,
  texts,
  text_or_texts,
  integer,
  number,
  boolean,
  object,
  list,
  any  // what the description says; the code that takes it checks it
};

struct Field {
  std::string name;
  FieldType type = FieldType::text;
  std::string description;
  bool required = false;
  double least = std::numeric_limits<double>::lowest();  // of numbers
  double most = std::numeric_limits<double>::max();
  std::vector<std::string> words{};  // a text must be one of these, if there are any
  // Of an object, or of a list's objects; empty: these may have any.
  std::vector<Field> fields{};
};
using Fields = std::vector<Field>;

// The JSON schema of an object with these fields.
Json schema_of(const Fields& fields);

// What to do with a field that is not in the table.
enum class UnknownFields : std::uint8_t { refuse, ignore };

// The body of a request, checked: JSON (application/json) or a form (everything else, as HTML forms
// and LibreTranslate's clients send it; its fields may be in the query too). Throws HttpError 400
// naming the field: what is not there though required, has another type, is out of range or is not
// UTF-8; 415 for another content type.
class RequestFields {
 public:
  RequestFields(const HttpRequest& request, const Fields& fields, UnknownFields unknown);
  bool has(std::string_view name) const;

  // Of fields of that type. What is not given is `fallback`.
  std::string text(std::string_view name, const std::string& fallback = "") const;
  std::vector<std::string> texts(std::string_view name) const;  // one text is a list of one
  bool is_list(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  bool boolean(std::string_view name) const;  // false when it is not given
  Json value(std::string_view name) const;    // null when it is not given
  const Json& all() const { return values_; }

 private:
  Json values_;  // an object
};

}  // namespace yona::serve
