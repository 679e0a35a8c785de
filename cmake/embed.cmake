# A text file as a string of the library: yona_embed(libyona yona/inspect/page.html kAttentionPage)
# defines `const std::string_view yona::kAttentionPage`. A change of the file configures anew.
function(yona_embed target file symbol)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} content)
  set(output ${PROJECT_BINARY_DIR}/embedded/${symbol}.cc)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Made by cmake/embed.cmake from @file@.
#include <string_view>

namespace yona {

extern const std::string_view @symbol@;
const std::string_view @symbol@ = R"embedded(@content@)embedded";

}  // namespace yona
]])
  target_sources(${target} PRIVATE ${output})
endfunction()
