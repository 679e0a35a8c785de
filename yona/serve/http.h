// HTTP as the rest of serve/ sees it: a complete request, and how to answer it. http_server.h reads
// and writes the bytes.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/base/text_pieces.h"

namespace yona::serve {

struct HttpRequest {
  std::string method;          // "POST"
  std::string path;            // "/v1/translate", %-signs decoded, without the query
  std::string query{};         // what follows '?', as it came
  std::string content_type{};  // lower case, without parameters: "application/json"
  std::string boundary{};      // between the parts of multipart/form-data
  std::string authorization{};
  std::string api_key{};  // the header X-Api-Key
  std::string body{};
  std::string client{};  // the address of the other side, without its port
};

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body{};
  Headers headers{};
  TextPieces rest{};  // of the body, after the above: large answers are not copied
};

HttpResponse json_response(const Json& json);
// The same for a large one: can be preempted while it is written.
HttpResponse large_json_response(const Json& json);
// {"error": "one clear sentence"}; `retry_after` in seconds, 0: no such header.
HttpResponse error_response(int status, std::string_view text, int retry_after = 0);

// An answer other than success, thrown by code that cannot do what was asked.
class HttpError : public Error {
 public:
  HttpError(int code, const std::string& text, int retry_seconds = 0)
      : Error(text), status(code), retry_after(retry_seconds) {}

  const int status;
  const int retry_after;  // seconds; 0: not said
};

// What the exception in flight means to a client: HttpError its status, wrong input 400, what this
// version cannot do 501; everything else 500, with the details in the log alone.
HttpResponse response_of(const std::exception_ptr& error);

// Turns true when the client has closed the connection.
using GoneFlag = std::shared_ptr<const std::atomic<bool>>;

// One request and the way to answer it, exactly once: respond(), or begin_stream(), write() any
// number of times and end_stream(). These may be called by any thread; a client that has gone makes
// them do nothing.
class Exchange {
 public:
  Exchange() = default;
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  virtual const HttpRequest& request() const = 0;
  virtual GoneFlag gone() const = 0;

  virtual void respond(HttpResponse response) = 0;
  virtual void begin_stream(HttpResponse head) = 0;  // its body is the first part
  virtual void write(TextPieces part) = 0;
  virtual void end_stream() = 0;
};

// One server-sent event (text/event-stream): "event: token\ndata: {…}\n\n".
std::string server_sent_event(std::string_view name, const Json& data);

}  // namespace yona::serve
