#include "yona/serve/multipart.h"

#include <algorithm>
#include <optional>

#include "yona/serve/http.h"
#include "yona/serve/http_framing.h"
#include "yona/serve/url.h"

namespace yona::serve {

namespace {

constexpr std::string_view kPartLineEnd = "\r\n";

template <class... Args>
void check_form(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) {
    throw HttpError(400,
                    "multipart/form-data: " + fmt::format(message, std::forward<Args>(args)...));
  }
}

void check_boundary(std::string_view boundary) {
  constexpr std::size_t kLongest = 70;  // RFC 2046, 5.1.1
  const auto is_allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && std::string_view("'()+_,-./:=? ").find(c) != std::string_view::npos);
  };
  check_form(!boundary.empty() && boundary.size() <= kLongest && boundary.back() != ' ' &&
                 std::all_of(boundary.begin(), boundary.end(), is_allowed),
             "the boundary is missing in Content-Type, or is not one");
}

// The line of a boundary in a body: it ends what is before it, and says whether more follows.
struct Delimiter {
  std::size_t begin = 0, end = 0;  // with the line end before it, which is a part of it
  bool is_last = false;
};

// What follows "--boundary" must be "--", or nothing but blanks up to the line's end; a line that
// goes on otherwise is content.
std::optional<Delimiter> delimiter_at(std::string_view body, std::size_t begin, std::size_t end) {
  if (body.substr(end).starts_with("--")) {
    return Delimiter{begin, end + 2, true};
  }
  const std::size_t line_end = body.find_first_not_of(" \t", end);
  if (line_end != body.npos && body.substr(line_end).starts_with(kPartLineEnd)) {
    return Delimiter{begin, line_end + kPartLineEnd.size(), false};
  }
  return std::nullopt;
}

Delimiter find_delimiter(std::string_view body, std::string_view dashes, std::size_t from) {
  const std::string wanted = std::string(kPartLineEnd).append(dashes);
  if (from == 0 && body.starts_with(dashes)) {  // nothing before it, not even a line end
    if (const auto found = delimiter_at(body, 0, dashes.size())) {
      return *found;
    }
  }
  for (std::size_t at = body.find(wanted, from); at != body.npos; at = body.find(wanted, at + 1)) {
    if (const auto found = delimiter_at(body, at, at + wanted.size())) {
      return *found;
    }
  }
  check_form(false, "the body does not end with its boundary");
  return {};
}

// The name of a part from its header lines, which end with an empty one.
std::string name_of_part(std::string_view part, std::size_t header_end) {
  std::optional<std::string> name;
  for (std::string_view lines = part.substr(0, header_end); !lines.empty();) {
    const std::size_t end = lines.find(kPartLineEnd);
    const auto [field, value] = parse_field_line(lines.substr(0, end));
    lines.remove_prefix(end + kPartLineEnd.size());
    if (field == "content-transfer-encoding") {
      const std::string coding = lower_case(value);
      check_form(coding == "8bit" || coding == "7bit" || coding == "binary",
                 "Content-Transfer-Encoding: expected 7bit, 8bit or binary, got {}", coding);
    }
    if (field == "content-disposition") {
      check_form(!name && media_type(value) == "form-data",
                 "Content-Disposition is given twice, or is not form-data");
      name = header_parameter(value, "name");
      check_form(!header_parameter(value, "filename") && !header_parameter(value, "filename*"),
                 "\"{}\" is a file; expected its text", name.value_or(""));
    }
  }
  check_form(name.has_value(), "a part has no name");
  return *name;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_multipart(std::string_view body,
                                                                 std::string_view boundary,
                                                                 const MultipartLimits& limits) {
  check_boundary(boundary);
  const std::string dashes = "--" + std::string(boundary);
  std::vector<std::pair<std::string, std::string>> fields;
  Delimiter before = find_delimiter(body, dashes, 0);
  while (!before.is_last) {
    check_form(fields.size() < limits.parts, "the body has more than the {} parts that are allowed",
               limits.parts);
    // The line end before a delimiter may be that of the delimiter before: a part may be empty.
    const Delimiter after = find_delimiter(body, dashes, before.end - kPartLineEnd.size());
    const std::string_view part =
        body.substr(before.end, std::max(after.begin, before.end) - before.end);
    const std::size_t header_end = part.starts_with(kPartLineEnd) ? 0 : part.find("\r\n\r\n");
    check_form(header_end != part.npos, "a part has no empty line after its header");
    check_form(header_end <= limits.header_bytes,
               "the header of a part is larger than the {} bytes that are allowed",
               limits.header_bytes);
    const std::size_t lines_end = header_end == 0 ? 0 : header_end + kPartLineEnd.size();
    fields.emplace_back(name_of_part(part, lines_end),
                        part.substr(lines_end + kPartLineEnd.size()));
    before = after;
  }
  return fields;
}

}  // namespace yona::serve
