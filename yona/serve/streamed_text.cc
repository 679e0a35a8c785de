#include "yona/serve/streamed_text.h"

namespace yona::serve {

StreamedText::StreamedText(std::shared_ptr<Exchange> exchange, std::shared_ptr<const Texts> texts)
    : exchange_(std::move(exchange)),
      texts_(std::move(texts)),
      parts_(texts_->segments(0).sentences.size()) {}

void StreamedText::grow(const SentenceProgress& progress) {
  constexpr std::size_t kAlways = std::size_t{64} << 10;
  constexpr std::size_t kTimes = 16;
  length_ += progress.text.size() - parts_[progress.sentence].size();
  parts_[progress.sentence] = progress.text;
  if (written_ > kAlways + kTimes * length_) {
    return;
  }
  std::string event = server_sent_event("token", {{"index", progress.tokens - 1},
                                                  {"sentence", progress.sentence},
                                                  {"token", progress.token},
                                                  {"text", texts_->joined(0, parts_)}});
  written_ += event.size();
  write(std::move(event));
}

void StreamedText::end(TextPieces answer) {
  TextPieces event(std::string("event: done\ndata: "));
  event.add(std::move(answer));
  event.append("\n\n");
  write(std::move(event));
  exchange_->end_stream();
}

void StreamedText::fail(const std::exception_ptr& error) {
  HttpResponse response = response_of(error);
  if (!has_begun_) {
    exchange_->respond(std::move(response));
    return;
  }
  write(server_sent_event("error", Json::parse(response.body)));
  exchange_->end_stream();
}

void StreamedText::write(TextPieces event) {
  if (!std::exchange(has_begun_, true)) {
    exchange_->begin_stream(
        {.content_type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}});
  }
  exchange_->write(std::move(event));
}

}  // namespace yona::serve
