# `cmake --install`: the program, the shared library, its headers, and a CMake package, so that
#   find_package(yona REQUIRED)
#   target_link_libraries(mine PRIVATE yona::yona)
# works outside. tests/install/ proves it. What is private to the program (cli/) and to a backend is
# not installed, nor are headers that are compiled once for each instruction set (*-inl.h).
include(CMakePackageConfigHelpers)
set(yona_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/yona)

install(TARGETS libyona EXPORT yonaTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT Development)
if(TARGET yona)
  install(TARGETS yona RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET libyona_cuda)
  install(TARGETS libyona_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET libyona_png)
  install(TARGETS libyona_png LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY yona/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/yona COMPONENT Development
  FILES_MATCHING PATTERN "*.h"
  PATTERN "*-inl.h" EXCLUDE
  REGEX "/yona/(cli|backend/[a-z]+)$" EXCLUDE)

install(EXPORT yonaTargets NAMESPACE yona:: DESTINATION ${yona_package_dir} COMPONENT Development)
configure_package_config_file(cmake/yonaConfig.cmake.in ${PROJECT_BINARY_DIR}/yonaConfig.cmake
  INSTALL_DESTINATION ${yona_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/yonaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/yonaConfig.cmake ${PROJECT_BINARY_DIR}/yonaConfigVersion.cmake
  DESTINATION ${yona_package_dir} COMPONENT Development)
