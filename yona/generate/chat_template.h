// Chat templates of model folders: a conversation as the text that a model was trained on. Rendered
// as `transformers` renders them: Jinja with trim_blocks and lstrip_blocks, in a sandbox.
//
//   ChatTemplate chat = ChatTemplate::from_folder(folder).value();
//   std::string prompt = chat.render({.messages = messages});
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "yona/base/json.h"
#include "yona/generate/jinja/interpreter.h"

namespace yona {

struct ChatRequest {
  Json messages = Json::array();  // of objects with "role" and "content"
  Json tools = nullptr;           // null: there are none
  Json documents = nullptr;
  bool add_generation_prompt = true;
  Json variables = Json::object();  // further ones: bos_token, enable_thinking …
};

class ChatTemplate {
 public:
  // Throws jinja::TemplateError that names the line and what is not supported. `special_tokens`
  // are variables of every rendering: {"bos_token": "<s>", …}.
  explicit ChatTemplate(std::string_view source, Json special_tokens = Json::object());
  // chat_template.jinja, else "chat_template" of tokenizer_config.json (of several the one named
  // "default"), with the special tokens that tokenizer_config.json names. Empty: there is none.
  static std::optional<ChatTemplate> from_folder(const std::filesystem::path& folder);

  // Throws jinja::TemplateError.
  std::string render(const ChatRequest& request, const jinja::RenderOptions& options = {}) const;

 private:
  std::shared_ptr<const jinja::Body> body_;
  Json special_tokens_;
};

}  // namespace yona
