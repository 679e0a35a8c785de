// Any bytes as the fields of a request, in JSON or as a form: each field has the type that the
// table says, or the request is refused with a message that can be sent.
//
// The first byte is the content type; up to the first NUL is the query, the rest the body.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "yona/serve/fields.h"
#include "yona/text/utf8.h"

namespace {

using yona::serve::Field;
using yona::serve::Fields;
using yona::serve::FieldType;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

const Fields& table() {
  static const Fields fields{
      {.name = "q", .type = FieldType::text_or_texts, .description = "", .required = true},
      {.name = "t", .type = FieldType::text, .description = "", .words = {"text", "html"}},
      {.name = "l", .type = FieldType::texts, .description = ""},
      {.name = "i", .type = FieldType::integer, .description = "", .least = 1, .most = 64},
      {.name = "n", .type = FieldType::number, .description = "", .least = 0},
      {.name = "b", .type = FieldType::boolean, .description = ""},
      {.name = "o",
       .type = FieldType::object,
       .description = "",
       .fields = {{.name = "i", .type = FieldType::integer, .description = ""}}},
      {.name = "g",
       .type = FieldType::list,
       .description = "",
       .fields = {{.name = "s", .type = FieldType::text, .description = "", .required = true}}}};
  return fields;
}

void use(const yona::serve::RequestFields& fields) {
  require(!fields.texts("q").empty() || fields.is_list("q"));
  for (const std::string& text : fields.texts("q")) {
    require(yona::is_utf8(text));
  }
  const std::string word = fields.text("t", "text");
  require(word == "text" || word == "html");
  fields.texts("l");
  const std::int64_t integer = fields.integer("i").value_or(1);
  require(integer >= 1 && integer <= 64);
  require(fields.number("n").value_or(0) >= 0);
  fields.boolean("b");
  for (const auto& item : fields.value("g")) {
    require(item.is_object() && item["s"].is_string());
  }
  fields.value("o").dump();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  yona::serve::HttpRequest request;
  request.method = "POST";
  request.content_type = (data[0] & 1U) != 0 ? "application/json" : "";
  request.query = bytes.substr(0, end);
  request.body = bytes.substr(std::min(end + 1, bytes.size()));
  const auto unknown =
      (data[0] & 2U) != 0 ? yona::serve::UnknownFields::refuse : yona::serve::UnknownFields::ignore;
  try {
    use(yona::serve::RequestFields(request, table(), unknown));
  } catch (const yona::serve::HttpError&) {  // the other allowed answer, which must be JSON itself
    const auto answer = yona::serve::response_of(std::current_exception());
    require(answer.status >= 400 && yona::Json::accept(answer.body));
  }
  return 0;
}
