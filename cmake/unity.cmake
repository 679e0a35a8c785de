# Most of a full build goes into reading the headers of libraries, so the sources of a folder are
# compiled a few at a time, each batch as one translation unit. CMake's own unity builds leave out
# sources with options of their own, and name sources by absolute paths, which ccache cannot share
# between trees; so the batches are made here.
option(YONA_UNITY "compile the sources of a folder in batches: half the time for a full build" ON)
set(yona_unity_most 8)  # sources of a batch: more gain little, and leave cores without work

# Compiled one by one: kernels, which Highway includes again for each instruction set, the built-in
# languages, which say the same things by the same names, and what reads Boost's headers.
set(yona_unity_alone "^yona/backend/|^yona/data/builtin/|^tests/backend/cpu/|^yona/serve/http_server")

# Writes #include lines for `paths`, spread evenly over files, and appends the files to `result`.
macro(yona_unity_batches name options paths)
  list(LENGTH ${paths} count)
  math(EXPR batches "(${count} + ${yona_unity_most} - 1) / ${yona_unity_most}")
  foreach(batch RANGE 1 ${batches})
    math(EXPR first "(${batch} - 1) * ${count} / ${batches}")
    math(EXPR size "${batch} * ${count} / ${batches} - ${first}")
    list(SUBLIST ${paths} ${first} ${size} some)
    list(TRANSFORM some REPLACE "(.+)" "#include \"\\1\"")
    list(JOIN some "\n" lines)
    set(file ${PROJECT_BINARY_DIR}/unity/${name}_${batch}.cc)
    file(CONFIGURE OUTPUT ${file} CONTENT "${lines}\n" @ONLY)
    set_property(SOURCE ${file} PROPERTY COMPILE_OPTIONS ${options})
    list(APPEND result ${file})
  endforeach()
endmacro()

# Puts batches in the place of the sources in the list of this name. A batch has the COMPILE_OPTIONS
# of its sources, which must be set before; sources whose options differ are not batched together.
function(yona_unity list)
  if(NOT YONA_UNITY)
    return()
  endif()
  set(result "")
  set(names "")
  foreach(source IN LISTS ${list})
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
    if(path MATCHES "${yona_unity_alone}")
      list(APPEND result ${source})
      continue()
    endif()
    get_property(options SOURCE ${source} PROPERTY COMPILE_OPTIONS)
    cmake_path(GET path PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "${folder}${options}" name)
    set(options_of_${name} "${options}")
    list(APPEND paths_of_${name} ${path})
    list(APPEND names ${name})
  endforeach()
  list(REMOVE_DUPLICATES names)
  foreach(name IN LISTS names)
    list(LENGTH paths_of_${name} count)
    if(count EQUAL 1)
      list(APPEND result ${PROJECT_SOURCE_DIR}/${paths_of_${name}})
      continue()
    endif()
    yona_unity_batches(${name} "${options_of_${name}}" paths_of_${name})
  endforeach()
  set(${list} ${result} PARENT_SCOPE)
endfunction()
