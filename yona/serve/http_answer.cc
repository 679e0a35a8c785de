#include "yona/serve/http_answer.h"

#include <algorithm>
#include <array>

namespace yona::serve {

namespace {

// What a status is called; nothing for one that is not in the list.
std::string_view reason_of(int status) {
  constexpr std::array<std::pair<int, std::string_view>, 20> kReasons = {
      {{200, "OK"},
       {204, "No Content"},
       {400, "Bad Request"},
       {403, "Forbidden"},
       {404, "Not Found"},
       {405, "Method Not Allowed"},
       {413, "Content Too Large"},
       {415, "Unsupported Media Type"},
       {417, "Expectation Failed"},
       {421, "Misdirected Request"},
       {422, "Unprocessable Content"},
       {429, "Too Many Requests"},
       {431, "Request Header Fields Too Large"},
       {499, "Client Closed Request"},
       {500, "Internal Server Error"},
       {501, "Not Implemented"},
       {503, "Service Unavailable"},
       {504, "Gateway Timeout"},
       {505, "HTTP Version Not Supported"},
       {507, "Insufficient Storage"}}};
  const auto* const found = std::find_if(kReasons.begin(), kReasons.end(),
                                         [&](const auto& entry) { return entry.first == status; });
  return found == kReasons.end() ? std::string_view() : found->second;
}

// The line, made once a second.
const std::string& date_line() {
  thread_local std::time_t made = 0;
  thread_local std::string line;
  const std::time_t now = std::time(nullptr);
  if (now != made) {
    made = now;
    line = "Date: " + http_date(now) + "\r\n";
  }
  return line;
}

void append_head(std::string& bytes, const HttpResponse& response, std::string_view version,
                 std::string_view more) {
  fmt::format_to(std::back_inserter(bytes), "HTTP/{} {} {}\r\nServer: yona\r\nContent-Type: {}\r\n",
                 version, response.status, reason_of(response.status), response.content_type);
  bytes.append(date_line()).append(more).append(lines_of(response.headers));
}

}  // namespace

std::string lines_of(const Headers& headers) {
  std::string lines;
  for (const auto& [name, value] : headers) {
    lines.append(name).append(": ").append(value).append("\r\n");
  }
  return lines;
}

std::string http_date(std::time_t time) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  ::gmtime_r(&time, &utc);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                     kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

void append_answer(std::string& bytes, const HttpResponse& response, const AnswerFrame& frame,
                   std::string_view more) {
  append_head(bytes, response, frame.is_http_1_0 ? "1.0" : "1.1", more);
  if (frame.keeps_alive == frame.is_http_1_0) {  // not what the version takes for granted
    bytes += frame.keeps_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  }
  constexpr int kNoContent = 204;  // has no length either
  if (response.status != kNoContent) {
    fmt::format_to(std::back_inserter(bytes), "Content-Length: {}\r\n",
                   response.body.size() + response.rest.bytes());
  }
  bytes += "\r\n";
  if (!frame.has_only_head) {
    bytes += response.body;
  }
}

std::string stream_head(const HttpResponse& response, std::string_view more) {
  std::string bytes;
  append_head(bytes, response, "1.1", more);
  return bytes + "Connection: close\r\n\r\n" + response.body;
}

}  // namespace yona::serve
