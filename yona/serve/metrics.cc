#include "yona/serve/metrics.h"

#include <algorithm>

namespace yona::serve {

namespace {

class CountedExchange : public Exchange {
 public:
  CountedExchange(std::shared_ptr<Exchange> exchange, std::string route, Metrics& metrics)
      : exchange_(std::move(exchange)), route_(std::move(route)), metrics_(metrics) {}

  const HttpRequest& request() const override { return exchange_->request(); }
  GoneFlag gone() const override { return exchange_->gone(); }
  void respond(HttpResponse response) override {
    metrics_.count(route_, response.status, seconds_since(start_));
    exchange_->respond(std::move(response));
  }
  void begin_stream(HttpResponse head) override {
    status_ = head.status;
    exchange_->begin_stream(std::move(head));
  }
  void write(TextPieces part) override { exchange_->write(std::move(part)); }
  void end_stream() override {
    metrics_.count(route_, status_, seconds_since(start_));
    exchange_->end_stream();
  }

 private:
  std::shared_ptr<Exchange> exchange_;
  std::string route_;
  Metrics& metrics_;
  Clock::time_point start_ = Clock::now();
  int status_ = 200;
};

}  // namespace

void Metrics::count(const std::string& route, int status, double seconds) {
  const std::scoped_lock lock(mutex_);
  ++requests_[{route, status}];
  Durations& durations = durations_[route];
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  ++durations.counts[static_cast<std::size_t>(bucket)];
  durations.sum += seconds;
}

std::string Metrics::text() const {
  const std::scoped_lock lock(mutex_);
  std::string out =
      "# HELP yona_requests_total Requests answered.\n# TYPE yona_requests_total counter\n";
  for (const auto& [key, count] : requests_) {
    out += fmt::format("yona_requests_total{{route=\"{}\",status=\"{}\"}} {}\n", key.first,
                       key.second, count);
  }
  out +=
      "# HELP yona_request_seconds From a request's last byte to its answer.\n"
      "# TYPE yona_request_seconds histogram\n";
  for (const auto& [route, durations] : durations_) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < durations.counts.size(); ++i) {
      below += durations.counts[i];
      out += fmt::format("yona_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
                         i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf", below);
    }
    out += fmt::format("yona_request_seconds_sum{{route=\"{}\"}} {}\n", route, durations.sum);
    out += fmt::format("yona_request_seconds_count{{route=\"{}\"}} {}\n", route, below);
  }
  return out;
}

std::string metric_text(std::string_view name, std::string_view type, std::string_view help,
                        double value) {
  return fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type, value);
}

std::shared_ptr<Exchange> counted(std::shared_ptr<Exchange> exchange, std::string route,
                                  Metrics& metrics) {
  return std::make_shared<CountedExchange>(std::move(exchange), std::move(route), metrics);
}

}  // namespace yona::serve
