# The Python module: build/python is a folder for PYTHONPATH, and `pip install .` (pyproject.toml) puts
# the same into a wheel, with libyona.so beside the module. See YONA_PYTHON in the root's CMakeLists.txt.
if(YONA_PYTHON STREQUAL "OFF" OR YONA_SANITIZE)
  return()
endif()
set(Python_FIND_VIRTUALENV FIRST)
if(Python3_EXECUTABLE AND NOT Python_EXECUTABLE)
  set(Python_EXECUTABLE ${Python3_EXECUTABLE})  # the one that the tests are run by
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module QUIET)
if(Python_FOUND)
  find_package(pybind11 2.10 CONFIG QUIET)
endif()
if(NOT pybind11_FOUND OR NOT Python_Development.Module_FOUND)
  if(YONA_PYTHON STREQUAL "ON")
    message(FATAL_ERROR "YONA_PYTHON is ON, but Python's headers or pybind11 were not found: install "
      "python3-dev and pybind11-dev")
  endif()
  message(STATUS "pybind11 or Python's headers not found: building without the Python module")
  return()
endif()

file(GLOB python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/bindings/*.cc)
yona_unity(python_sources)
Python_add_library(yona_python MODULE WITH_SOABI ${python_sources})
target_link_libraries(yona_python PRIVATE libyona pybind11::headers)
set_target_properties(yona_python PROPERTIES OUTPUT_NAME _yona CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/yona INSTALL_RPATH "$ORIGIN")
yona_target(yona_python)

# The rest is Python as it is in the source tree; a link keeps what is imported what is edited.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/yona)
file(GLOB python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/yona/*)
list(FILTER python_files EXCLUDE REGEX "__pycache__")
foreach(file ${python_files})
  cmake_path(GET file FILENAME name)
  file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/python/yona/${name} SYMBOLIC)
endforeach()

if(SKBUILD)
  # A wheel holds no links, so the library has one name there.
  set_property(TARGET libyona PROPERTY VERSION)
  set_property(TARGET libyona PROPERTY SOVERSION)
  set(libraries libyona)
  foreach(optional libyona_png libyona_cuda libyona_cudnn)
    if(TARGET ${optional})
      list(APPEND libraries ${optional})
    endif()
  endforeach()
  add_dependencies(yona_python ${libraries})
  install(TARGETS yona_python ${libraries} LIBRARY DESTINATION yona COMPONENT python)
endif()
