# Installs BUILD into a prefix of its own, moves the prefix (an installation must not depend on where
# it was made), builds tests/install against it, and runs what came out: the outside program, and
# `yona --version`.
#   cmake -DBUILD=… -DVERSION=… -DCXX=… -DLAUNCHER=… -P install_test.cmake
set(scratch ${BUILD}/install_test)
set(prefix ${scratch}/prefix)

function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "exit code ${code} from: ${ARGN}\n${output}")
  endif()
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "expected ${expected} from: ${ARGN}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${scratch})
run("" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/first)
file(RENAME ${scratch}/first ${prefix})

run("" ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${scratch}/outside -G Ninja
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run("" ${CMAKE_COMMAND} --build ${scratch}/outside)
run("base has 63.1 M parameters\nrefused: .*huge" ${scratch}/outside/outside)
if(EXISTS ${prefix}/bin/yona)
  run("${VERSION}" ${prefix}/bin/yona --version)
endif()
