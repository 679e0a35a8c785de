# `cmake --install`: the program, the shared library, the headers of its API, and a CMake package, so
# that
#   find_package(yona REQUIRED)
#   target_link_libraries(mine PRIVATE yona::yona)
# works outside, without the headers of any other library. tests/install/ proves it.
include(CMakePackageConfigHelpers)
include(cmake/api_headers.cmake)
set(yona_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/yona)

install(TARGETS libyona EXPORT yonaTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT Development)
if(TARGET yona)
  install(TARGETS yona RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET libyona_cuda)
  install(TARGETS libyona_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET libyona_cudnn)
  install(TARGETS libyona_cudnn LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET libyona_png)
  install(TARGETS libyona_png LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET libyona_mpi)
  install(TARGETS libyona_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET libyona_nccl)
  install(TARGETS libyona_nccl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
yona_api_headers(api_headers)
foreach(header ${api_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT Development)
endforeach()

install(EXPORT yonaTargets NAMESPACE yona:: DESTINATION ${yona_package_dir} COMPONENT Development)
configure_package_config_file(cmake/yonaConfig.cmake.in ${PROJECT_BINARY_DIR}/yonaConfig.cmake
  INSTALL_DESTINATION ${yona_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/yonaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/yonaConfig.cmake ${PROJECT_BINARY_DIR}/yonaConfigVersion.cmake
  DESTINATION ${yona_package_dir} COMPONENT Development)
