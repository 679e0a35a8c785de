// A client on the loopback interface that sends exactly what it is told, byte for byte, broken
// requests included.
#pragma once

#include <arpa/inet.h>
#include <cctype>
#include <chrono>
#include <map>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "yona/base/json.h"

namespace yona::testing {

struct Answer {
  int status = 0;                              // 0: the connection was closed without one
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  Json json() const { return Json::parse(body); }
  std::string error() const { return json().value("error", ""); }
};

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool is_open() const { return is_open_; }
  // How long it waits to send or to read; 20 s to read, and for ever to send, without it.
  void set_patience(std::chrono::milliseconds time) {
    const timeval patience{time.count() / 1000, (time.count() % 1000) * 1000};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  }
  void close() {
    if (socket_ >= 0) {
      ::close(std::exchange(socket_, -1));
    }
  }

  // False when the other side does not take it.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Status and headers alone.
  Answer read_head() {
    Answer answer;
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == buffer_.npos) {
      if (!fill()) {
        return answer;
      }
    }
    parse_head(buffer_.substr(0, end + 2), answer);
    buffer_.erase(0, end + 4);
    return answer;
  }
  Answer read() {
    Answer answer = read_head();
    if (answer.status == 0) {
      return answer;
    }
    const auto length = answer.headers.find("content-length");
    if (length == answer.headers.end()) {
      answer.body = read_rest();
      return answer;
    }
    const std::size_t bytes = std::stoul(length->second);
    while (buffer_.size() < bytes && fill()) {
    }
    answer.body = buffer_.substr(0, bytes);
    buffer_.erase(0, bytes);
    return answer;
  }
  // Does this text come before the connection is closed? What was read up to there is dropped.
  bool read_until(std::string_view text) {
    std::size_t at = 0;
    while ((at = buffer_.find(text)) == buffer_.npos) {
      if (!fill()) {
        return false;
      }
    }
    buffer_.erase(0, at + text.size());
    return true;
  }
  // All that comes until the connection is closed.
  std::string read_rest() {
    while (fill()) {
    }
    return std::exchange(buffer_, "");
  }
  // Is the connection closed, once what has come is read?
  bool is_at_end() { return !fill() && buffer_.empty(); }

  Answer get(const std::string& path) {
    send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return read();
  }
  Answer post(const std::string& path, const std::string& body,
              const std::string& type = "application/json", const std::string& more = "") {
    send(post_text(path, body, type, more));
    return read();
  }
  Answer post(const std::string& path, const Json& body) { return post(path, body.dump()); }

  static std::string post_text(const std::string& path, const std::string& body,
                               const std::string& type = "application/json",
                               const std::string& more = "") {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
           "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + more + "\r\n" + body;
  }

 private:
  bool fill() {
    char bytes[4096];
    const ssize_t got = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (got > 0) {
      buffer_.append(bytes, static_cast<std::size_t>(got));
    }
    return got > 0;
  }

  static void parse_head(const std::string& head, Answer& answer) {
    answer.status = std::stoi(head.substr(head.find(' ')));
    for (std::size_t begin = head.find("\r\n") + 2; begin < head.size();) {
      const std::size_t end = head.find("\r\n", begin);
      const std::string line = head.substr(begin, end - begin);
      const std::size_t colon = line.find(": ");
      std::string name = line.substr(0, colon);
      for (char& c : name) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
      answer.headers[name] = line.substr(colon + 2);
      begin = end + 2;
    }
  }

  int socket_ = -1;
  bool is_open_ = false;
  std::string buffer_;
};

}  // namespace yona::testing
