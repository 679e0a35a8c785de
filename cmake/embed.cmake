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

# The page of yona/serve: the files of its folder as yona::serve::own_page_files().
function(yona_embed_page target folder)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_SOURCE_DIR}/${folder}/*)
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${file})
    file(READ ${PROJECT_SOURCE_DIR}/${folder}/${file} content)
    string(APPEND entries "    {\"${file}\", R\"embedded(${content})embedded\"},\n")
  endforeach()
  set(output ${PROJECT_BINARY_DIR}/embedded/page_files.cc)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
// Made by cmake/embed.cmake from @folder@.
#include "yona/serve/pages.h"

namespace yona::serve {

namespace {

constexpr PageFile kFiles[] = {
@entries@};

}  // namespace

std::span<const PageFile> own_page_files() { return kFiles; }

}  // namespace yona::serve
]])
  target_sources(${target} PRIVATE ${output})
endfunction()
