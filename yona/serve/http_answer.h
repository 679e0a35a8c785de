// Answers as bytes of HTTP/1.1 (or 1.0, to those who speak it).
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "yona/serve/http.h"

namespace yona::serve {

// What the request says of the form of its answer.
struct AnswerFrame {
  bool is_http_1_0 = false;
  bool keeps_alive = true;     // more requests may follow on the connection
  bool has_only_head = false;  // an answer to HEAD
};

// "Name: value\r\n" for each.
std::string lines_of(const Headers& headers);

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(std::time_t time);

// Head and body of an answer, appended, without the body's rest. `more` are lines of the head
// besides the answer's own.
void append_answer(std::string& bytes, const HttpResponse& response, const AnswerFrame& frame,
                   std::string_view more = {});

// The head of an answer whose body ends with the connection, and the beginning of the body.
std::string stream_head(const HttpResponse& response, std::string_view more = {});

}  // namespace yona::serve
