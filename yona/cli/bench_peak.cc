// `yona bench peak`: the fastest product of this machine, as one JSON line.

#include "yona/train/bench_peak.h"

#include <memory>

#include <fmt/format.h>

#include "yona/cli/commands.h"

namespace yona::cli {

namespace {

struct PeakFlags {
  std::string precision = "f32";
  std::string threads = "0";
  std::string seconds = "2";
};

int run(const PeakFlags& flags) {
  const bool is_bf16 = word_value("--precision", flags.precision, {"f32", "bf16"}) == "bf16";
  const auto threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  const auto seconds = static_cast<double>(integer_value("--seconds", flags.seconds, {0, 3600}));
  fmt::print("{}\n",
             bench_peak(is_bf16 ? Precision::bf16 : Precision::f32, threads, seconds).dump());
  return 0;
}

}  // namespace

Command add_bench_peak(CLI::App& bench) {
  CLI::App* app = add_command(
      bench, {"peak", "the fastest matrix product of this machine; prints one JSON line",
              "yona bench peak --threads 2"});
  const auto flags = std::make_shared<PeakFlags>();
  add_text(*app, flags->precision,
           {"--precision", "f32|bf16", "operands of products (default f32)"});
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  add_text(*app, flags->seconds, {"--seconds", "N", "how long to look for it (default 2)"});
  return {app, [flags] { return run(*flags); }};
}

}  // namespace yona::cli
