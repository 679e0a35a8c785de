#include "yona/serve/http.h"

#include "yona/base/log.h"
#include "yona/base/preemption.h"

namespace yona::serve {

namespace {

// Bytes of requests can come back in messages; what is not UTF-8 is shown as U+FFFD.
std::string compact(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Arrays and objects within arrays and objects, down to this depth, are written item by item.
constexpr int kDepth = 3;

void append_json(const Json& json, int depth, TextPieces& out) {
  if (!json.is_structured() || depth == kDepth) {
    preemption_point();
    out.add(compact(json));
    return;
  }
  const bool is_object = json.is_object();
  out.append(is_object ? "{" : "[");
  bool is_first = true;
  for (const auto& [name, value] : json.items()) {
    out.append(std::exchange(is_first, false) ? "" : ",");
    if (is_object) {
      out.append(compact(name));
      out.append(":");
    }
    append_json(value, depth + 1, out);
  }
  out.append(is_object ? "}" : "]");
}

}  // namespace

HttpResponse json_response(const Json& json) { return {.body = compact(json) + "\n"}; }

HttpResponse large_json_response(const Json& json) {
  HttpResponse response;
  append_json(json, 0, response.rest);
  response.rest.append("\n");
  return response;
}

HttpResponse error_response(int status, std::string_view text, int retry_after) {
  HttpResponse response = json_response({{"error", text}});
  response.status = status;
  if (retry_after > 0) {
    response.headers.emplace_back("Retry-After", std::to_string(retry_after));
  }
  return response;
}

HttpResponse response_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& known) {
    return error_response(known.status, known.what(), known.retry_after);
  } catch (const InvalidArgument& wrong) {
    return error_response(400, wrong.what());
  } catch (const FormatError& wrong) {
    return error_response(400, wrong.what());
  } catch (const NotImplemented& missing) {
    return error_response(501, missing.what());
  } catch (const std::exception& unexpected) {
    log().error("a request failed: {}", unexpected.what());
    return error_response(500, "the server failed at this request; its log says why");
  }
}

std::string server_sent_event(std::string_view name, const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, compact(data));
}

}  // namespace yona::serve
