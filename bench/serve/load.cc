// Load on a translation server, from one thread with epoll: requests of LibreTranslate's API over
// kept connections, at a given rate or as fast as they are answered.
//
//   serve_load --port 8080 --lines test.en [--expected test.de] --seconds 20 --connections 64
//              [--rate 500] [--warm-up 2]
//
// With a rate, requests are due at fixed times whether or not earlier ones were answered, and a
// latency counts from the time a request was due: a server that stalls cannot hide it. The
// generator sleeps a millisecond at a time, so that much may be added to a latency: on few CPUs
// what it takes is missing elsewhere, and "cpu_seconds" says how much that was. "longest_pause_ms"
// is the longest time that it was not running itself: latencies as long as that say nothing of the
// server. Prints one line of JSON. An answer that differs from the expected line counts as wrong,
// one that never comes as lost.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <numeric>
#include <string>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "yona/base/json.h"
#include "yona/base/timing.h"

namespace {

using yona::Json;
using yona::steady_seconds;

struct Flags {
  int port = 8080;
  std::string lines, expected, source = "en", target = "de";
  double seconds = 10, rate = 0, warm_up = 1;
  std::size_t connections = 32;
};

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

struct Connection {
  int socket = -1;
  std::string in;
  bool is_busy = false;
  std::size_t line = 0;
  double due = 0;
};

class Load {
 public:
  explicit Load(Flags flags)
      : flags_(std::move(flags)), poll_(::epoll_create1(0)), connections_(flags_.connections) {
    const std::vector<std::string> lines = read_lines(flags_.lines);
    expected_ = flags_.expected.empty() ? std::vector<std::string>{} : read_lines(flags_.expected);
    for (const std::string& line : lines) {
      const std::string body =
          Json{{"q", line}, {"source", flags_.source}, {"target", flags_.target}}.dump();
      requests_.push_back(
          "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          "Content-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body);
    }
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      open(i);
    }
  }

  Json run() {
    start_ = steady_seconds();
    const double end = start_ + flags_.warm_up + flags_.seconds;
    double next = start_;
    double last = start_;
    while (steady_seconds() < end) {
      const double now = steady_seconds();
      pause_ = std::max(pause_, now - std::exchange(last, now));
      while (flags_.rate > 0 && next <= now) {
        due_.push_back(next);
        next += 1 / flags_.rate;
      }
      give_out(now);
      if (flags_.rate > 0) {
        constexpr double kTick = 0.001;
        std::this_thread::sleep_for(std::chrono::duration<double>(std::max(kTick, next - now)));
        wait(0);
      } else {
        wait(0.05);
      }
    }
    end_ = steady_seconds();
    const double late = end_ + 60;  // what is under way may end
    while (busy() > 0 && steady_seconds() < late) {
      wait(0.05);
    }
    return report();
  }

 private:
  void open(std::size_t i) {
    Connection& connection = connections_[i];
    connection = {};
    connection.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(flags_.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(connection.socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
      std::fprintf(stderr, "cannot connect to port %d: %s\n", flags_.port, std::strerror(errno));
      std::exit(1);
    }
    const int on = 1;
    ::setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::fcntl(connection.socket, F_SETFL, O_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, connection.socket, &event);
    free_.push_back(i);
  }

  std::size_t busy() const {
    return static_cast<std::size_t>(
        std::count_if(connections_.begin(), connections_.end(),
                      [](const Connection& connection) { return connection.is_busy; }));
  }

  void give_out(double now) {
    while (!free_.empty() && !(flags_.rate > 0 && due_.empty())) {
      const std::size_t i = free_.back();
      free_.pop_back();
      double due = now;
      if (flags_.rate > 0) {
        due = due_.front();
        due_.pop_front();
      }
      send(i, due);
    }
  }

  void send(std::size_t i, double due) {
    Connection& connection = connections_[i];
    connection.line = next_line_++ % requests_.size();
    connection.due = due;
    connection.is_busy = true;
    const std::string& request = requests_[connection.line];
    const ssize_t sent = ::send(connection.socket, request.data(), request.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(request.size())) {
      broken(i);
    }
  }

  void broken(std::size_t i) {
    lost_ += connections_[i].is_busy ? 1 : 0;
    ::close(connections_[i].socket);
    std::erase(free_, i);
    open(i);
  }

  // Takes all answers that are there, or come within so many seconds.
  void wait(double seconds) {
    epoll_event events[256];
    int count = 0;
    do {
      count = ::epoll_wait(poll_, events, 256, static_cast<int>(seconds * 1000));
      for (int e = 0; e < count; ++e) {
        receive(events[e].data.u64);
      }
      seconds = 0;
    } while (count == 256);
  }

  void receive(std::size_t i) {
    Connection& connection = connections_[i];
    char bytes[65536];
    const ssize_t got = ::recv(connection.socket, bytes, sizeof(bytes), 0);
    if (got < 0 && errno == EAGAIN) {
      return;
    }
    if (got <= 0) {
      broken(i);
      return;
    }
    connection.in.append(bytes, static_cast<std::size_t>(got));
    const std::size_t head = connection.in.find("\r\n\r\n");
    if (head == connection.in.npos) {
      return;
    }
    const std::size_t at = connection.in.find("Content-Length: ");
    if (at == connection.in.npos) {
      std::fprintf(stderr, "an answer without a length\n");
      std::exit(1);
    }
    const std::size_t length = std::strtoul(&connection.in[at + 16], nullptr, 10);
    if (connection.in.size() >= head + 4 + length) {
      answered(connection, std::atoi(&connection.in[9]), connection.in.substr(head + 4, length));
      connection.in.clear();
      free_.push_back(i);
    }
  }

  void answered(Connection& connection, int status, const std::string& body) {
    connection.is_busy = false;
    const double now = steady_seconds();
    if (status == 200 && !expected_.empty()) {
      wrong_ += Json::parse(body)["translatedText"] == expected_[connection.line] ? 0 : 1;
    }
    const double begin = start_ + flags_.warm_up;
    good_in_time_ += status == 200 && now >= begin && end_ == 0 ? 1 : 0;
    if (connection.due >= begin) {
      ++statuses_[status];
      (status == 200 ? good_ : refused_).push_back(now - connection.due);
    }
  }

  // In milliseconds.
  static Json percentiles(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    Json json = Json::object();
    if (!seconds.empty()) {
      json["mean"] = 1e3 * std::accumulate(seconds.begin(), seconds.end(), 0.0) /
                     static_cast<double>(seconds.size());
    }
    for (const auto& [name, share] :
         {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1.0}}) {
      if (!seconds.empty()) {
        const auto place = static_cast<std::size_t>(share * static_cast<double>(seconds.size()));
        json[name] = 1e3 * seconds[std::min(place, seconds.size() - 1)];
      }
    }
    return json;
  }

  Json report() {
    Json statuses = Json::object();
    for (const auto& [status, count] : statuses_) {
      statuses[std::to_string(status)] = count;
    }
    return {{"seconds", flags_.seconds},
            {"connections", flags_.connections},
            {"rate", flags_.rate},
            {"good_per_second", static_cast<double>(good_in_time_) / flags_.seconds},
            {"statuses", statuses},
            {"good_ms", percentiles(good_)},
            {"refused_ms", percentiles(refused_)},
            {"wrong", wrong_},
            {"lost", lost_ + busy()},
            {"cpu_seconds", cpu_seconds()},
            {"longest_pause_ms", flags_.rate > 0 ? 1e3 * pause_ : 0}};
  }

  // Of this process.
  static double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
  }

  Flags flags_;
  int poll_;
  std::vector<std::string> requests_, expected_;
  std::vector<Connection> connections_;
  std::vector<std::size_t> free_;  // connections that wait for a request
  std::deque<double> due_;         // times at which requests should have been sent
  std::size_t next_line_ = 0;
  double start_ = 0, end_ = 0;
  std::size_t good_in_time_ = 0;  // answered between warm-up and end
  std::vector<double> good_, refused_;
  std::map<int, std::size_t> statuses_;
  std::size_t wrong_ = 0, lost_ = 0;
  double pause_ = 0;  // between two looks at the clock
};

Flags flags_of(int count, char** arguments) {
  Flags flags;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = arguments[i];
    const char* value = arguments[i + 1];
    if (name == "--port") {
      flags.port = std::atoi(value);
    } else if (name == "--lines") {
      flags.lines = value;
    } else if (name == "--expected") {
      flags.expected = value;
    } else if (name == "--seconds") {
      flags.seconds = std::atof(value);
    } else if (name == "--rate") {
      flags.rate = std::atof(value);
    } else if (name == "--warm-up") {
      flags.warm_up = std::atof(value);
    } else if (name == "--connections") {
      flags.connections = std::strtoul(value, nullptr, 10);
    } else {
      std::fprintf(stderr, "unknown flag %s\n", name.c_str());
      std::exit(2);
    }
  }
  return flags;
}

}  // namespace

int main(int count, char** arguments) {
  std::printf("%s\n", Load(flags_of(count, arguments)).run().dump().c_str());
  return 0;
}
