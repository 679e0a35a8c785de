// What the server has done, for Prometheus (text format 0.0.4): requests by route and status, how
// long answers took, and whatever figures are added when it asks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "yona/base/timing.h"
#include "yona/serve/http.h"

namespace yona::serve {

class Metrics {
 public:
  // Any thread.
  void count(const std::string& route, int status, double seconds);
  std::string text() const;

 private:
  // Upper bounds of the histogram's buckets, in seconds; the last one is everything.
  static constexpr std::array<double, 12> kBounds = {0.002, 0.005, 0.01, 0.02, 0.05, 0.1,
                                                     0.2,   0.5,   1,    2,    5,    10};
  struct Durations {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // of each bucket alone
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  std::map<std::string, Durations> durations_;  // of routes
};

// "# HELP …\n# TYPE … gauge\nNAME value\n"
std::string metric_text(std::string_view name, std::string_view type, std::string_view help,
                        double value);

// The exchange, counted when it is answered. `metrics` must outlive it.
std::shared_ptr<Exchange> counted(std::shared_ptr<Exchange> exchange, std::string route,
                                  Metrics& metrics);

}  // namespace yona::serve
