# Installs BUILD into a prefix of its own, moves the prefix (an installation must not depend on where
# it was made), builds tests/install and the examples against it, and runs what came out: the outside
# program, and `yona --version`. Headers of other libraries may be on this machine; what was built must
# not have read any.
#   cmake -DBUILD=… -DVERSION=… -DCXX=… -DLAUNCHER=… -P install_test.cmake
set(scratch ${BUILD}/install_test)
set(prefix ${scratch}/prefix)
cmake_path(SET examples NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../examples)

function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "exit code ${code} from: ${ARGN}\n${output}")
  endif()
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "expected ${expected} from: ${ARGN}\n${output}")
  endif()
  set(run_output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${scratch})
run("" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/first)
file(RENAME ${scratch}/first ${prefix})

run("" ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${scratch}/outside -G Ninja -DEXAMPLES=${examples}
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run("" ${CMAKE_COMMAND} --build ${scratch}/outside)

# Every file that a compiler read, as ninja has it from the compiler.
run("/yona/yona\\.h" ninja -C ${scratch}/outside -t deps)
string(REPLACE "${scratch}" "" run_output "${run_output}")
string(REPLACE "${examples}" "" run_output "${run_output}")
foreach(library boost nlohmann fmt spdlog dnnl oneapi hwy sentencepiece unicode openssl yaml-cpp CLI)
  if(run_output MATCHES "[^\n]*/${library}[^\n]*/[^\n]*|[^\n]*/${library}[^/\n]*\\.hp*")
    message(FATAL_ERROR "the API's headers include one of ${library}: ${CMAKE_MATCH_0}")
  endif()
endforeach()

run("BLEU 100\nrefused: .*nothing-is-here" ${scratch}/outside/outside)
foreach(example translate score attention train generate)
  if(NOT EXISTS ${scratch}/outside/${example})
    message(FATAL_ERROR "examples/${example}.cc was not built")
  endif()
endforeach()
if(EXISTS ${prefix}/bin/yona)
  run("${VERSION}" ${prefix}/bin/yona --version)
endif()
