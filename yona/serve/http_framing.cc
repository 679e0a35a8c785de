#include "yona/serve/http_framing.h"

#include <algorithm>
#include <charconv>

#include "yona/serve/url.h"

namespace yona::serve {

namespace {

void demand(bool condition, const char* text) {
  if (!condition) {
    refuse_malformed(text);
  }
}

bool is_token_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == text.npos ? std::string_view()
                            : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::vector<std::string_view> values_of(const RequestHead& head, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& [field, value] : head.fields) {
    if (field == name) {
      values.push_back(value);
    }
  }
  return values;
}

// The items of a list, in lower case: "Close, TE" is {"close", "te"}.
std::vector<std::string> items_of(std::string_view list) {
  std::vector<std::string> items;
  while (true) {
    const std::size_t comma = list.find(',');
    items.push_back(lower_case(trimmed(list.substr(0, comma))));
    if (comma == list.npos) {
      return items;
    }
    list.remove_prefix(comma + 1);
  }
}

void check_transfer_coding(const RequestHead& head, const std::vector<std::string_view>& values) {
  demand(!head.is_http_1_0, "HTTP/1.0 has no Transfer-Encoding");
  demand(values.size() == 1, "Transfer-Encoding is given twice");
  const std::vector<std::string> codings = items_of(values.front());
  demand(codings.back() == "chunked", "the last Transfer-Encoding is not chunked");
  if (codings.size() > 1) {
    demand(std::count(codings.begin(), codings.end(), "chunked") == 1 &&
               std::all_of(codings.begin(), codings.end(), is_token),
           "Transfer-Encoding is not a list of codings that ends with chunked");
    throw HttpError(
        501, fmt::format("Transfer-Encoding: expected chunked alone, got {}", values.front()));
  }
}

void find_framing(RequestHead& head) {
  const auto codings = values_of(head, "transfer-encoding");
  const auto lengths = values_of(head, "content-length");
  demand(codings.empty() || lengths.empty(), "both Transfer-Encoding and Content-Length are given");
  if (!codings.empty()) {
    check_transfer_coding(head, codings);
    head.framing = BodyFraming::chunked;
  }
  if (!lengths.empty()) {
    demand(lengths.size() == 1, "Content-Length is given twice");
    const std::string_view digits = lengths.front();
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), head.length);
    demand(error == std::errc() && end == digits.data() + digits.size(),
           "Content-Length is not a number of bytes");
    head.framing = head.length == 0 ? BodyFraming::none : BodyFraming::length;
  }
}

bool ends_connection(const RequestHead& head) {
  bool closes = false;
  bool stays = false;
  for (const std::string_view value : values_of(head, "connection")) {
    for (const std::string& item : items_of(value)) {
      closes = closes || item == "close";
      stays = stays || item == "keep-alive";
    }
  }
  return closes || (head.is_http_1_0 && !stays);
}

void check_expectation(RequestHead& head) {
  const auto values = values_of(head, "expect");
  if (values.empty()) {
    return;
  }
  if (values.size() > 1 || lower_case(values.front()) != "100-continue") {
    throw HttpError(417, "Expect: expected 100-continue, or no such field");
  }
  head.expects_continue = !head.is_http_1_0;
}

void check_content_coding(RequestHead& head) {
  const auto values = values_of(head, "content-encoding");
  if (values.empty()) {
    return;
  }
  const std::string coding = lower_case(values.front());
  head.is_gzip = coding == "gzip" || coding == "x-gzip";
  if (values.size() > 1 || (!head.is_gzip && coding != "identity")) {
    throw HttpError(415, fmt::format("Content-Encoding: expected gzip or identity, got {}",
                                     values.size() > 1 ? "more than one coding" : coding));
  }
}

// Targets may have scheme and host, as clients send them to a proxy (RFC 9112, 3.2.2).
std::size_t scheme_size(std::string_view target) {
  const std::string scheme = lower_case(target.substr(0, 8));
  return scheme.starts_with("http://") ? 7 : scheme.starts_with("https://") ? 8 : 0;
}

std::string_view place_of(std::string_view target) {
  const std::size_t scheme = scheme_size(target);
  if (scheme == 0) {
    return target;
  }
  const std::size_t path = target.find_first_of("/?", scheme);
  return path == target.npos ? "/" : target.substr(path);
}

void find_authority(RequestHead& head) {
  const auto hosts = values_of(head, "host");
  demand(hosts.size() < 2, "Host is given twice");
  demand(hosts.size() == 1 || head.is_http_1_0, "Host is missing");
  const std::size_t scheme = scheme_size(head.target);
  if (scheme > 0) {
    const std::size_t end = head.target.find_first_of("/?", scheme);
    head.authority = head.target.substr(scheme, end == std::string::npos ? end : end - scheme);
    demand(!head.authority.empty(), "the target has no host");
  } else if (!hosts.empty()) {
    head.authority = hosts.front();
    demand(!head.authority.empty(), "Host is empty");
  }
}

}  // namespace

void refuse_malformed(std::string_view what) {
  throw HttpError(400, fmt::format("malformed HTTP request: {}", what));
}

std::string_view RequestHead::raw_path() const {
  const std::string_view place = place_of(target);
  const std::string_view found = place.substr(0, place.find('?'));
  return found.empty() ? "/" : found;
}

std::string_view RequestHead::query() const {
  const std::size_t sign = target.find('?');
  return sign == target.npos ? std::string_view{} : std::string_view{target}.substr(sign + 1);
}

std::string_view RequestHead::field(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? std::string_view{} : std::string_view{found->second};
}

void parse_request_line(std::string_view line, RequestHead& head) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  demand(first != line.npos && last > first, "expected \"METHOD target HTTP/1.1\"");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  demand(is_token(method), "the method is not a word");
  demand(!target.empty() && std::none_of(target.begin(), target.end(),
                                         [](char c) { return is_control(c) || c == ' '; }),
         "the target is empty, or has a blank or a control character");
  demand((target.front() == '/' || scheme_size(target) > 0 ||
          (target == "*" && method == "OPTIONS")) &&
             target.find('#') == target.npos,
         "the target is neither a path nor a URL of http");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    const bool is_version = version.size() == 8 && version.starts_with("HTTP/") &&
                            version[6] == '.' && version[5] >= '0' && version[5] <= '9' &&
                            version[7] >= '0' && version[7] <= '9';
    demand(is_version, "expected \"METHOD target HTTP/1.1\"");
    throw HttpError(505, fmt::format("{} is not supported; expected HTTP/1.1 or 1.0", version));
  }
  head.method = method;
  head.target = target;
  head.is_http_1_0 = version == "HTTP/1.0";
}

std::pair<std::string, std::string> parse_field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  demand(colon != line.npos, "a header line has no colon");
  const std::string_view name = line.substr(0, colon);
  demand(is_token(name), "the name of a header field has a character that names cannot have");
  const std::string_view value = line.substr(colon + 1);
  demand(
      std::none_of(value.begin(), value.end(), [](char c) { return is_control(c) && c != '\t'; }),
      "the value of a header field has a control character");
  return {lower_case(name), std::string(trimmed(value))};
}

void complete_head(RequestHead& head) {
  find_framing(head);
  find_authority(head);
  head.keeps_alive = !ends_connection(head);
  check_expectation(head);
  check_content_coding(head);
  head.path = url_decoded(head.raw_path(), Plus::plain);
  demand(std::none_of(head.path.begin(), head.path.end(), is_control),
         "the path has a control character");
}

ChunkLine parse_chunk_line(std::string_view line) {
  constexpr std::size_t kMostDigits = 16;  // of 64 bits
  ChunkLine chunk;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), chunk.size, 16);
  const auto digits = static_cast<std::size_t>(end - line.data());
  demand(error == std::errc() && digits <= kMostDigits,
         "the size of a chunk is not a hexadecimal number of 64 bits");
  const std::string_view extension = line.substr(digits);
  demand(extension.empty() || extension.front() == ';',
         "the size of a chunk is followed by something other than an extension");
  demand(std::none_of(extension.begin(), extension.end(),
                      [](char c) { return is_control(c) && c != '\t'; }),
         "the extension of a chunk has a control character");
  chunk.extension_bytes = extension.size();
  return chunk;
}

}  // namespace yona::serve
