// The subcommands, one file each.
#pragma once

#include <filesystem>

#include "yona/cli/command.h"

namespace yona::cli {

Command add_demo(CLI::App& program);
Command add_train(CLI::App& program);
Command add_translate(CLI::App& program);
Command add_parse(CLI::App& program);
Command add_classify(CLI::App& program);
Command add_embed(CLI::App& program);
Command add_fill(CLI::App& program);
Command add_generate(CLI::App& program);
Command add_average(CLI::App& program);
Command add_serve(CLI::App& program);
// As `yona serve --model FOLDER --port 0`: what the demo ends with.
int serve_model(const std::filesystem::path& folder);
Command add_perplexity(CLI::App& program);
Command add_runs(CLI::App& program);
Command add_score(CLI::App& program);
Command add_attention(CLI::App& program);
Command add_info(CLI::App& program);
Command add_config(CLI::App& program);
Command add_convert(CLI::App& program);
Command add_vocab(CLI::App& program);
Command add_shortlist(CLI::App& program);
Command add_study(CLI::App& program);
Command add_bench_train(CLI::App& bench);
Command add_bench_scaling(CLI::App& bench);
Command add_bench_attention(CLI::App& bench);
Command add_bench_peak(CLI::App& bench);
Command add_bench_translate(CLI::App& bench);
Command add_bench_generate(CLI::App& bench);

}  // namespace yona::cli
