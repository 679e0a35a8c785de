# Python3_EXECUTABLE: the first python3 of PATH that has NumPy, which the tests of the module and of the
# attention's arrays need. A virtual environment, or an interpreter that the user names, is left alone.
if(Python3_EXECUTABLE OR Python_EXECUTABLE OR DEFINED ENV{VIRTUAL_ENV} OR DEFINED ENV{CONDA_PREFIX})
  return()
endif()
cmake_path(CONVERT "$ENV{PATH}" TO_CMAKE_PATH_LIST folders)
foreach(folder IN LISTS folders)
  if(NOT EXISTS ${folder}/python3)
    continue()
  endif()
  execute_process(COMMAND ${folder}/python3 -c "import numpy, sys; print(sys.executable)"
    RESULT_VARIABLE result OUTPUT_VARIABLE executable OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(result EQUAL 0)
    set(Python3_EXECUTABLE ${executable} CACHE FILEPATH "the interpreter of the tests and of the module")
    return()
  endif()
endforeach()
