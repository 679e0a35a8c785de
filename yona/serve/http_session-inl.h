// One connection of http_server.cc, plain or over TLS: reads a request, waits for its answer,
// writes it, and begins again. Included by http_server.cc alone.
//
// There is one outstanding read at any time while a client may say something: between requests it
// waits for the first bytes of the next one, and while an answer is being made the same read tells
// that the client closed the connection.
#pragma once

#include <boost/asio/write.hpp>
#include <deque>
#include <span>

#include "yona/serve/http_exchange-inl.h"
#include "yona/serve/http_reader.h"
#include "yona/serve/http_stream-inl.h"

namespace yona::serve {

template <class Stream>
class StreamSession : public HttpSession,
                      public std::enable_shared_from_this<StreamSession<Stream>> {
 public:
  StreamSession(SessionHost& host, Stream stream, std::string client)
      : host_(host),
        stream_(std::move(stream)),
        client_(std::move(client)),
        reader_({host.limits.header_bytes, host.limits.body_bytes, &host.hosts}) {
    ++host_.open;
  }
  ~StreamSession() override {
    if (--host_.open == 0 && host_.all_closed) {
      host_.all_closed();
    }
  }

  void start() override {
    stream_.open(host_.limits.read, [self = self()](const error_code& error) {
      error ? self->close() : self->begin_request();
    });
  }

  void finish() override {
    if (state_ == State::idle) {
      close();
    }
  }

  void close() override {
    if (state_ == State::closed) {
      return;
    }
    state_ = State::closed;
    if (gone_) {
      gone_->store(true);
      gone_.reset();
    }
    stream_.close();
  }

  void look_at_clock(Clock::time_point now) override {
    if (stream_.is_late(now)) {
      close();
    }
  }

  void respond(HttpResponse response) override {
    if (state_ != State::handling) {
      return;
    }
    gone_.reset();
    frame_.keeps_alive = frame_.keeps_alive && !host_.stopping;
    out_.clear();
    append_answer(out_, response, frame_, host_.header_lines);
    rest_ = frame_.has_only_head ? std::vector<std::string>() : std::move(response.rest).take();
    std::vector<asio::const_buffer> buffers{asio::buffer(out_)};
    for (const std::string& piece : rest_) {
      buffers.push_back(asio::buffer(piece));
    }
    state_ = State::writing;
    stream_.wait_at_most(host_.limits.write);
    asio::async_write(
        stream_.bytes(), buffers,
        [self = self()](const error_code& error, std::size_t /*bytes*/) { self->answered(error); });
  }

  // A stream ends with the connection; of HEAD it is the head, and nothing more is waited for.
  void begin_stream(const HttpResponse& head) override {
    if (state_ != State::handling) {
      return;
    }
    state_ = State::streaming;
    if (!frame_.has_only_head) {
      write_part(stream_head(head, host_.header_lines));
      return;
    }
    HttpResponse without_body = head;
    without_body.body.clear();
    write_part(stream_head(without_body, host_.header_lines));
    gone_->store(true);
    end_stream();
  }

  void write_part(TextPieces part) override {
    if (state_ != State::streaming) {
      return;
    }
    constexpr std::size_t kMostWaiting = 4 << 20;  // a client that does not read is let go
    if (waiting_bytes_ > kMostWaiting) {
      close();
      return;
    }
    const bool is_writing = !parts_.empty();
    waiting_bytes_ += part.bytes();
    for (std::string& piece : std::move(part).take()) {
      parts_.push_back(std::move(piece));
    }
    if (!is_writing && !parts_.empty()) {
      write_next_part();
    }
  }

  void end_stream() override {
    if (state_ == State::streaming) {
      is_ending_ = true;
      if (parts_.empty()) {
        end();
      }
    }
  }

 private:
  enum class State : std::uint8_t {
    idle,
    reading,
    handling,
    writing,
    streaming,
    lingering,
    closed
  };
  using Found = HttpReader::Found;

  std::shared_ptr<StreamSession> self() { return this->shared_from_this(); }

  void begin_request() {
    if (state_ == State::closed) {
      return;
    }
    reader_.begin();
    frame_ = {};
    refusal_ = nullptr;
    state_ = State::idle;
    if (reader_.has_bytes()) {
      begin_reading();
    } else if (host_.stopping) {
      close();
    } else {
      stream_.wait_at_most(host_.limits.idle);
      fill();
    }
  }

  // Reads what comes next, whenever it comes.
  void fill() {
    if (is_filling_) {
      return;
    }
    is_filling_ = true;
    const std::span<char> room = reader_.room();
    stream_.bytes().async_read_some(asio::buffer(room.data(), room.size()),
                                    [self = self()](const error_code& error, std::size_t bytes) {
                                      self->filled(error, bytes);
                                    });
  }

  void filled(const error_code& error, std::size_t bytes) {
    is_filling_ = false;
    if (error) {
      close();
      return;
    }
    if (state_ == State::lingering) {
      constexpr std::size_t kMostLingering = 4 << 20;
      lingered_ += bytes;
      lingered_ > kMostLingering ? close() : fill();  // into the same place: it is not used
      return;
    }
    reader_.add(bytes);
    if (state_ == State::idle) {
      begin_reading();
    } else if (state_ == State::reading) {
      read();
    }
  }

  void begin_reading() {
    state_ = State::reading;
    stream_.wait_at_most(host_.limits.read);
    read();
  }

  void read() {
    if (state_ != State::reading) {
      return;
    }
    Found found = reader_.next();
    if (found == Found::header) {
      frame_ = reader_.frame();
      refusal_ = host_.turnstile ? host_.turnstile(reader_.method(), reader_.path()) : nullptr;
      if (refusal_ == nullptr && reader_.expects_continue() && !reader_.has_bytes()) {
        say_continue();
        return;
      }
      found = reader_.next();
    }
    if (found == Found::wrong) {
      end_with(reader_.refusal());
    } else if (refusal_ != nullptr) {
      // A body that is here is skipped; one that is still to come is not waited for.
      found == Found::request ? refuse() : end_with(*refusal_);
    } else if (found == Found::request) {
      handle();
    } else {
      fill();
    }
  }

  void say_continue() {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(stream_.bytes(), asio::buffer(kContinue.data(), kContinue.size()),
                      [self = self()](const error_code& error, std::size_t /*bytes*/) {
                        error ? self->close() : self->read();
                      });
  }

  void refuse() {
    state_ = State::handling;
    respond(*refusal_);
  }

  // Answers before everything has been read, and closes once the client has seen it.
  void end_with(const HttpResponse& response) {
    if (state_ == State::closed) {
      return;
    }
    frame_.keeps_alive = false;
    lingers_ = true;
    state_ = State::handling;
    respond(response);
  }

  void handle() {
    state_ = State::handling;
    stream_.wait_forever();
    gone_ = std::make_shared<std::atomic<bool>>(false);
    const auto exchange =
        std::make_shared<SessionExchange>(host_.io, self(), reader_.take(client_), gone_);
    if (!reader_.has_bytes()) {
      fill();
    }
    try {
      host_.handler(exchange);
    } catch (...) {
      exchange->respond(response_of(std::current_exception()));
    }
  }

  void answered(const error_code& error) {
    rest_.clear();
    if (error) {
      close();
    } else if (frame_.keeps_alive) {
      begin_request();
    } else {
      end();
    }
  }

  void write_next_part() {
    stream_.wait_at_most(host_.limits.write);
    asio::async_write(stream_.bytes(), asio::buffer(parts_.front()),
                      [self = self()](const error_code& error, std::size_t /*bytes*/) {
                        self->part_written(error);
                      });
  }

  void part_written(const error_code& error) {
    if (error || state_ == State::closed) {
      close();
      return;
    }
    waiting_bytes_ -= parts_.front().size();
    parts_.pop_front();
    if (!parts_.empty()) {
      write_next_part();
    } else if (is_ending_) {
      end();
    } else {
      stream_.wait_forever();
    }
  }

  // Closes. Closing with something unread would destroy what was written before it is seen, so
  // where more may come it is read for a moment, and thrown away.
  void end() {
    gone_.reset();
    state_ = State::lingering;
    if (!lingers_) {
      stream_.say_goodbye([self = self()] { self->close(); });
      return;
    }
    constexpr std::chrono::milliseconds kLinger{2000};
    stream_.wait_at_most(kLinger);
    stream_.stop_sending();
    reader_.drop_bytes();
    fill();
  }

  SessionHost& host_;
  HttpStream<Stream> stream_;
  std::string client_;  // its address
  HttpReader reader_;
  AnswerFrame frame_;                        // of the answer
  std::shared_ptr<std::atomic<bool>> gone_;  // of the request being answered
  State state_ = State::idle;
  bool is_filling_ = false;
  bool lingers_ = false;
  bool is_ending_ = false;
  const HttpResponse* refusal_ = nullptr;  // at the turnstile
  std::string out_;                        // the answer that is being written: its beginning
  std::vector<std::string> rest_;          // and its rest
  std::deque<std::string> parts_;          // of a stream, the first being written
  std::size_t waiting_bytes_ = 0;
  std::size_t lingered_ = 0;  // bytes thrown away at the end
};

}  // namespace yona::serve
