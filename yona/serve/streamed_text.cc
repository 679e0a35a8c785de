#include "yona/serve/streamed_text.h"

namespace yona::serve {

StreamedText::StreamedText(std::shared_ptr<Exchange> exchange, std::shared_ptr<const Texts> texts)
    : exchange_(std::move(exchange)),
      texts_(std::move(texts)),
      parts_(texts_->segments(0).sentences.size()) {}

void StreamedText::grow(const SentenceProgress& progress) {
  parts_[progress.sentence] = progress.text;
  write("token", {{"index", progress.tokens - 1},
                  {"sentence", progress.sentence},
                  {"token", progress.token},
                  {"text", texts_->joined(0, parts_)}});
}

void StreamedText::end(const Json& answer) {
  write("done", answer);
  exchange_->end_stream();
}

void StreamedText::fail(const std::exception_ptr& error) {
  HttpResponse response = response_of(error);
  if (!has_begun_) {
    exchange_->respond(std::move(response));
    return;
  }
  write("error", Json::parse(response.body));
  exchange_->end_stream();
}

void StreamedText::write(std::string_view name, const Json& data) {
  if (!std::exchange(has_begun_, true)) {
    exchange_->begin_stream(
        {.content_type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}});
  }
  exchange_->write(server_sent_event(name, data));
}

}  // namespace yona::serve
