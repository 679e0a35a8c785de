// Any bytes as a chat template: a text, or one message. Steps and bytes are bounded.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "yona/generate/chat_template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  yona::ChatRequest request;
  request.messages = {{{"role", "system"}, {"content", "Be brief."}},
                      {{"role", "user"}, {"content", {{{"type", "text"}, {"text", "é"}}}}}};
  yona::jinja::RenderOptions options;
  options.bounds = {.steps = 20'000, .output = 1U << 16U, .bytes = 1U << 22U};
  try {
    yona::ChatTemplate(source, {{"bos_token", "<s>"}}).render(request, options);
  } catch (const yona::jinja::TemplateError&) {
  }
  return 0;
}
