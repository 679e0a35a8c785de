// `yona bench attention`: time and memory of attention against length, one JSON line for each.

#include "yona/train/bench_attention.h"

#include <memory>

#include <fmt/format.h>

#include "yona/cli/commands.h"

namespace yona::cli {

namespace {

struct BenchAttentionFlags {
  std::vector<std::string> lengths;
  std::string heads = "8";
  std::string width = "64";
  std::string steps = "3";
  std::string threads = "0";
  std::string window = "0";
  bool causal = false;
};

std::vector<std::int64_t> lengths_of(const BenchAttentionFlags& flags) {
  constexpr std::int64_t kLongest = 1 << 20;
  std::vector<std::int64_t> lengths;
  for (const std::filesystem::path& item : path_list(flags.lengths)) {
    lengths.push_back(integer_value("--lengths", item.string(), {1, kLongest}));
  }
  if (lengths.empty()) {
    for (std::int64_t length = 64; length <= 16384; length *= 4) {
      lengths.push_back(length);
    }
  }
  return lengths;
}

int run(const BenchAttentionFlags& flags) {
  const std::vector<std::int64_t> lengths = lengths_of(flags);
  AttentionBenchOptions options;
  options.heads = integer_value("--heads", flags.heads, {1, 1024});
  options.width = integer_value("--width", flags.width, {1, 4096});
  options.steps = integer_value("--steps", flags.steps, {1});
  options.threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  options.causal = flags.causal;
  options.window = integer_value("--window", flags.window, {0, 1 << 20});
  for (const std::int64_t length : lengths) {
    options.length = length;
    fmt::print("{}\n", bench_attention(options).dump());
    std::fflush(stdout);  // the longest take a while
  }
  return 0;
}

}  // namespace

Command add_bench_attention(CLI::App& bench) {
  CLI::App* app = add_command(
      bench,
      {"attention", "time and memory of attention against length; a JSON line for each length",
       "yona bench attention\nyona bench attention --lengths 1024,32768 --causal --threads 2"});
  const auto flags = std::make_shared<BenchAttentionFlags>();
  add_list(*app, flags->lengths,
           {"--lengths", "N,…", "tokens of the sentence (default 64, 256, 1024, 4096, 16384)"});
  add_text(*app, flags->heads, {"--heads", "N", "attention heads (default 8)"});
  add_text(*app, flags->width, {"--width", "N", "width of a head, d_k and d_v (default 64)"});
  add_switch(*app, flags->causal,
             {"--causal", "", "causal mask: a token attends to itself and earlier tokens"});
  add_text(
      *app, flags->window,
      {"--window", "N", "keys that a token attends to: sliding-window attention (default 0: all)"});
  add_text(*app, flags->steps, {"--steps", "N", "timed repetitions (default 3)"});
  add_text(*app, flags->threads, {"--threads", "N", "CPU threads (default: all that may be used)"});
  return {app, [flags] { return run(*flags); }};
}

}  // namespace yona::cli
