# libyona_png.so: figures as PNG, a library of its own that `--format png` opens at run time, so that
# no other command waits for librsvg and what it stands on.
pkg_check_modules(rsvg QUIET IMPORTED_TARGET librsvg-2.0)
if(NOT rsvg_FOUND)
  message(STATUS "librsvg not found: building without --format png")
  return()
endif()
add_library(libyona_png SHARED ${PROJECT_SOURCE_DIR}/yona/inspect/png/render.cc)
set_target_properties(libyona_png PROPERTIES OUTPUT_NAME yona_png PREFIX lib)
target_link_libraries(libyona_png PRIVATE libyona PkgConfig::rsvg)
yona_target(libyona_png -Wpedantic)
