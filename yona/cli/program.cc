#include "yona/cli/program.h"

#include <algorithm>
#include <cstdio>
#include <malloc.h>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/base/memory_limit.h"
#include "yona/base/nearest_name.h"
#include "yona/cli/commands.h"
#include "yona/cli/empty_values.h"
#include "yona/cli/exit_codes.h"
#include "yona/cli/help.h"
#include "yona/cli/standard_streams.h"
#include "yona/parallel/ranks.h"

namespace yona::cli {

namespace {

constexpr std::string_view kNoOutput = "standard output cannot be written";

struct Program {
  CLI::App app{"train, run, score, serve and inspect Transformers (\"Attention Is All You Need\")",
               "yona"};
  std::vector<Command> commands;
  bool verbose = false;
  bool quiet = false;
};

void add_common_flags(CLI::App& app, Program& program) {
  app.add_flag("-v,--verbose", program.verbose, "more detail on standard error")->group("Common");
  app.add_flag("-q,--quiet", program.quiet, "only warnings and errors")->group("Common");
}

void build(Program& program) {
  CLI::App& app = program.app;
  app.allow_extras();
  app.require_subcommand(0, 1);
  app.formatter_fn(help_text);
  app.set_help_flag("-h,--help", "show this text; `yona COMMAND --help` shows a command's");
  app.set_version_flag("--version", std::string("yona " YONA_VERSION), "show the version");
  app.footer(
      "yona demo\n"
      "yona train --train-src train.en --train-tgt train.de --preset tiny --output run\n"
      "yona info --preset base --vocab-size 37000");
  program.commands = {add_demo(app),      add_train(app),      add_translate(app), add_serve(app),
                      add_score(app),     add_attention(app),  add_average(app),   add_info(app),
                      add_runs(app),      add_config(app),     add_vocab(app),     add_convert(app),
                      add_shortlist(app), add_perplexity(app), add_classify(app),  add_embed(app),
                      add_fill(app),      add_generate(app),   add_parse(app),     add_study(app)};
  CLI::App* bench =
      add_command(app, {"bench", "time training, decoding, attention and matrix products",
                        "yona bench train --preset tiny --steps 5"});
  bench->require_subcommand(0, 1);
  program.commands.push_back(add_bench_train(*bench));
  program.commands.push_back(add_bench_scaling(*bench));
  program.commands.push_back(add_bench_attention(*bench));
  program.commands.push_back(add_bench_peak(*bench));
  program.commands.push_back(add_bench_translate(*bench));
  program.commands.push_back(add_bench_generate(*bench));
  add_common_flags(app, program);
  for (const Command& command : program.commands) {
    add_common_flags(*command.app, program);
  }
}

std::vector<std::string> command_names(const CLI::App& app) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const CLI::App* command : commands) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// Before the message: which command speaks, unless it is the program itself.
std::string speaker(const CLI::App& app) {
  return app.get_parent() == nullptr ? ""
                                     : full_name(app).substr(std::string("yona ").size()) + ": ";
}

[[noreturn]] void refuse(const CLI::App& app, std::string_view what, const std::string& word,
                         const std::vector<std::string>& names) {
  const auto nearest = nearest_name(word, names);
  fail("{}{} '{}'; {}", speaker(app), what, word,
       nearest ? fmt::format("did you mean {}?", *nearest)
               : fmt::format("see `{} --help`", full_name(app)));
}

void refuse_unknown_commands(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    if (const auto names = command_names(app); !word.starts_with('-') && !names.empty()) {
      refuse(app, "unknown command", word, names);
    }
  }
}

// The first unknown argument, and the name that was probably meant.
void refuse_extras(const CLI::App& app) {
  refuse_unknown_commands(app);
  for (const CLI::App* command : app.get_subcommands()) {
    refuse_extras(*command);
  }
  if (const auto extras = app.remaining(); !extras.empty()) {
    const std::string word = extras[0].substr(0, extras[0].find('='));
    const bool is_flag = word.starts_with('-');
    refuse(app, is_flag ? "unknown flag" : "unexpected argument", word,
           is_flag ? flag_names(app) : std::vector<std::string>{});
  }
}

// The innermost command that was given.
const CLI::App& chosen(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : chosen(*given[0]);
}

int run_chosen(const Program& program) {
  const CLI::App& app = chosen(program.app);
  for (const Command& command : program.commands) {
    if (command.app == &app) {
      return command.run();
    }
  }
  fail("{}no command is given; see `{} --help`", speaker(app), full_name(app));
}

// CLI11 met a flag without its value ("--preset: 1 required NAME missing"), or one too many.
std::string text_of(const CLI::ParseError& error, const Program& program) {
  const CLI::App& app = chosen(program.app);
  const std::string text = error.what();
  const std::string flag = text.substr(0, text.find(':'));
  const std::string see = fmt::format("see `{} --help`", full_name(app));
  if (error.get_name() == "ArgumentMismatch") {
    return text.find("At Most") != text.npos
               ? fmt::format("{}{} is given more than once; {}", speaker(app), flag, see)
               : fmt::format("{}{} needs a value; {}", speaker(app), flag, see);
  }
  return fmt::format("{}{}; {}", speaker(app), text.substr(0, text.find('\n')), see);
}

// A write to standard output, or a thread: what else the system refuses has errors of our own.
std::string text_of(const std::system_error& error) {
  if (std::ferror(stdout) != 0) {
    return std::string(kNoOutput);
  }
  return error.code() == std::errc::resource_unavailable_try_again
             ? fmt::format("a thread cannot be started{}; use fewer --threads, or raise the limit",
                           memory_limit_note())
             : fmt::format("unexpected error: {}", error.what());
}

// malloc() reserves 64 MB of address space for each thread, which a limit may not have.
void save_address_space() {
  if (address_limit()) {
    mallopt(M_ARENA_MAX, 2);
  }
}

int parse_and_run(Program& program, int count, const char* const* arguments) {
  try {
    std::vector<std::string> words = with_empty_values(count, arguments);
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    program.app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    refuse_unknown_commands(program.app);
    fmt::print("{}", program.app.help());
    return kDone;
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return kDone;
  }
  refuse_extras(program.app);
  refuse_empty_values(chosen(program.app));
  check(!program.verbose || !program.quiet, "-v and -q contradict each other; give one of them");
  if (program.verbose || program.quiet) {
    set_verbosity(program.quiet ? Verbosity::quiet : Verbosity::verbose);
  }
  return run_chosen(program);
}

// Of several ranks one tells what happened to any of them. Until they have joined, it happens to
// all of them alike.
int complain(int code, std::string_view text) {
  flush_standard_output();
  if (Communicator* ranks = joined_ranks()) {
    ranks->abort(code, std::string(text));
  }
  if (const auto started = started_rank(); !started || started->rank == 0) {
    tell(text);
  }
  return code;
}

}  // namespace

int run_program(int count, const char* const* arguments) {
  prepare_standard_streams();
  save_address_space();
  Program program;
  try {
    build(program);
    const int code = parse_and_run(program, count, arguments);
    const bool is_written = flush_standard_output();
    if (is_written) {
      leave_ranks();
    }
    return is_written ? code : complain(kFailed, kNoOutput);
  } catch (const CLI::ParseError& error) {
    return complain(kWrongUse, text_of(error, program));
  } catch (const InvalidArgument& error) {
    return complain(kWrongUse, error.what());
  } catch (const FormatError& error) {
    return complain(kWrongUse, error.what());
  } catch (const Error& error) {
    return complain(kFailed, error.what());
  } catch (const std::bad_alloc&) {
    return complain(kFailed, fmt::format("out of memory{}; use a smaller --batch-tokens or model",
                                         memory_limit_note()));
  } catch (const std::system_error& error) {
    return complain(kFailed, text_of(error));
  } catch (const std::exception& error) {
    return std::ferror(stdout) != 0
               ? complain(kFailed, kNoOutput)
               : complain(kFailed, fmt::format("unexpected error: {}", error.what()));
  }
}

}  // namespace yona::cli
