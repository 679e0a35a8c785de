# libyona_cuda.so: the GPU backend, a library of its own that `--device cuda` opens at run time, so
# that a machine without a GPU needs nothing of it. See YONA_CUDA in the root's CMakeLists.txt.
file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/yona/backend/cuda/*.cu ${PROJECT_SOURCE_DIR}/yona/backend/cuda/*.cc)
if(YONA_CUDA STREQUAL "OFF" OR NOT cuda_sources)
  return()
endif()

include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
  set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  if(YONA_CUDA STREQUAL "ON")
    message(FATAL_ERROR "YONA_CUDA is ON, but no CUDA compiler (nvcc) was found: install the CUDA "
      "toolkit, put nvcc on PATH, or set CUDACXX")
  endif()
  message(STATUS "no CUDA compiler found: building without the GPU backend")
  return()
endif()

# One architecture builds in a third of the time of all three: that of this machine's GPU, or Hopper
# where there is none. The preset `all-gpus` builds for everybody: Ampere and Ada run sm_80's machine
# code, Hopper its own, with the instructions that only it has; newer GPUs compile the PTX.
function(yona_default_architectures result)
  set(${result} 90a-real PARENT_SCOPE)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND found MATCHES "^([0-9]+)\\.([0-9])")
    set(architecture ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
    if(architecture EQUAL 90)
      set(architecture 90a)
    endif()
    set(${result} ${architecture}-real PARENT_SCOPE)
  endif()
endfunction()
yona_default_architectures(yona_architectures)
set(YONA_CUDA_ARCHITECTURES ${yona_architectures} CACHE STRING
  "GPUs to compile for, as CMAKE_CUDA_ARCHITECTURES takes them; default: this machine's")
set(CMAKE_CUDA_ARCHITECTURES ${YONA_CUDA_ARCHITECTURES})
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has had it since 12.0
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
endif()
if(CMAKE_VERSION VERSION_LESS 3.26 AND NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)  # CMake 3.25 stumbles over CUDA 13, which has it no more
endif()
find_package(CUDAToolkit REQUIRED)
add_library(libyona_cuda SHARED ${cuda_sources})
set_target_properties(libyona_cuda PROPERTIES OUTPUT_NAME yona_cuda PREFIX lib)
target_link_libraries(libyona_cuda PRIVATE libyona CUDA::cudart CUDA::cublasLt)
# fmt 9 takes nvcc for a compiler without constexpr, and then fails to check its format strings.
target_compile_definitions(libyona_cuda PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:FMT_USE_CONSTEXPR=1>)
if(YONA_CUDA_ARCHITECTURES MATCHES "90a")
  target_compile_definitions(libyona_cuda PRIVATE YONA_CUDA_90A=1)
endif()
yona_target(libyona_cuda)

# libyona_cudnn.so: attention by cuDNN 9, opened by libyona_cuda.so where it is there.
find_path(CUDNN_INCLUDE_DIR cudnn_graph.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
find_library(CUDNN_LIBRARY cudnn HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/lib)
mark_as_advanced(CUDNN_INCLUDE_DIR CUDNN_LIBRARY)
if(CUDNN_INCLUDE_DIR AND CUDNN_LIBRARY)
  file(GLOB cudnn_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/yona/backend/cudnn/*.cc)
  add_library(libyona_cudnn SHARED ${cudnn_sources})
  set_target_properties(libyona_cudnn PROPERTIES OUTPUT_NAME yona_cudnn PREFIX lib)
  target_include_directories(libyona_cudnn SYSTEM PRIVATE ${CUDNN_INCLUDE_DIR})
  target_link_libraries(libyona_cudnn PRIVATE libyona CUDA::cudart ${CUDNN_LIBRARY})
  yona_target(libyona_cudnn)
else()
  message(STATUS "cuDNN 9 was not found: long attention on GPUs uses slower kernels")
endif()
