// Answers as bytes of HTTP/1.1 (or 1.0, to those who speak it).
#pragma once

#include <string>

#include "yona/serve/http.h"

namespace yona::serve {

// What the request says of the form of its answer.
struct AnswerFrame {
  bool is_http_1_0 = false;
  bool keeps_alive = true;     // more requests may follow on the connection
  bool has_only_head = false;  // an answer to HEAD
};

// Head and body of an answer, appended.
void append_answer(std::string& bytes, const HttpResponse& response, const AnswerFrame& frame);

// The head of an answer whose body ends with the connection, and the beginning of the body.
std::string stream_head(const HttpResponse& response);

}  // namespace yona::serve
