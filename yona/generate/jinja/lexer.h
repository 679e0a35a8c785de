// The tokens of a Jinja template, as jinja2 reads it with trim_blocks and lstrip_blocks: a line
// feed after a block is dropped, and so is the white space between the start of a line and a block.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yona::jinja {

struct Token {
  enum class Kind : std::uint8_t {
    data,            // text that is written as it is
    variable_begin,  // {{
    variable_end,
    block_begin,  // {%
    block_end,
    name,
    text,  // a string, with its escapes resolved
    integer,
    real,
    sign,  // an operator or a bracket
    end
  };
  Kind kind = Kind::end;
  std::string text{};
  int line = 0;

  bool is(Kind which, std::string_view what) const { return kind == which && text == what; }
};

// Throws TemplateError with the line.
std::vector<Token> tokens_of(std::string_view source);

}  // namespace yona::jinja
