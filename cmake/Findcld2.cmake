# CLD2 has no package file: it is found by its header and its library.
find_path(cld2_INCLUDE_DIR cld2/public/compact_lang_det.h)
find_library(cld2_LIBRARY cld2)
mark_as_advanced(cld2_INCLUDE_DIR cld2_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(cld2 REQUIRED_VARS cld2_LIBRARY cld2_INCLUDE_DIR)
if(cld2_FOUND AND NOT TARGET cld2::cld2)
  add_library(cld2::cld2 INTERFACE IMPORTED)
  target_include_directories(cld2::cld2 INTERFACE ${cld2_INCLUDE_DIR})
  target_link_libraries(cld2::cld2 INTERFACE ${cld2_LIBRARY})
endif()
