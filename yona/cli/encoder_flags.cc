#include "yona/cli/encoder_flags.h"

#include <filesystem>

#include "yona/cli/compute_type.h"
#include "yona/cli/translation_input.h"
#include "yona/io/model_kind.h"

namespace yona::cli {

void add_encoder_flags(CLI::App& app, EncoderFlags& flags, const std::string& json_meaning) {
  add_text(app, flags.model, {"-m,--model", "DIR", "folder of an encoder"});
  add_text(app, flags.input, {"-i,--input", "FILE", "text, one a line (default: standard input)"});
  add_switch(app, flags.json, {"--json", "", json_meaning});
  add_worker_flags(app, flags.workers);
  add_compute_type(app, flags.compute_type);
}

TextEncoder load_encoder(const CLI::App& app, const EncoderFlags& flags) {
  require_flag(app, "--model", !flags.model.empty(), "name the folder of an encoder");
  require_folder("--model", flags.model);
  check_model_kind(flags.model, ModelKind::encoder, "yona " + app.get_name());
  compute_type(flags.compute_type, device_of(flags.workers));  // names the flag where it is wrong
  const WorkerChoice choice = worker_choice(flags.workers);
  return TextEncoder::load(flags.model, {.device = choice.device,
                                         .threads = choice.threads,
                                         .workers = 1,
                                         .compute_type = flags.compute_type});
}

void for_each_window(const EncoderFlags& flags,
                     const std::function<void(const std::vector<std::string>&)>& function) {
  const auto lines = open_lines(flags.input);
  InputChecks checks(flags.input, BadEncoding::repair);
  for (std::vector<InputLine> window; !(window = lines->next()).empty();) {
    function(accepted(window, checks));
  }
  checks.report();
}

}  // namespace yona::cli
