# Language, flags and output places, the same for every target.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Programs find the library, and the library finds libyona_cuda.so, wherever the tree is moved to.
file(RELATIVE_PATH yona_bin_to_lib /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_BUILD_RPATH "$ORIGIN")
set(CMAKE_INSTALL_RPATH "$ORIGIN/${yona_bin_to_lib};$ORIGIN")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

# Sanitizer trees: -O0 keeps compiling quick (kernels get -O1, or tests would be slow), -g1 gives
# reports their line numbers, asserts stay on.
if(YONA_SANITIZE)
  add_compile_definitions(YONA_SANITIZED)
  add_compile_options(-fsanitize=${YONA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${YONA_SANITIZE})
endif()
if(YONA_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "YONA_FUZZ needs clang: configure with CXX=clang++")
endif()

# Warnings and definitions for a target of ours; ARGN is added to the warnings.
function(yona_target target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow ${ARGN} $<$<BOOL:${YONA_WERROR}>:-Werror>>)
  target_compile_definitions(${target} PRIVATE YONA_VERSION="${PROJECT_VERSION}")
endfunction()
