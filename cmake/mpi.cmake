# libyona_mpi.so: ranks over MPI, a library of its own that is opened where mpirun or srun started
# several processes, so that a machine without MPI needs nothing of it. See YONA_MPI.
if(YONA_MPI STREQUAL "OFF" OR YONA_SANITIZE)
  return()
endif()
find_package(MPI COMPONENTS CXX QUIET)
if(NOT MPI_CXX_FOUND)
  if(YONA_MPI STREQUAL "ON")
    message(FATAL_ERROR "YONA_MPI is ON, but no MPI was found: install libopenmpi-dev")
  endif()
  message(STATUS "MPI was not found: building without runs over several processes")
  return()
endif()
add_library(libyona_mpi SHARED ${PROJECT_SOURCE_DIR}/yona/parallel/mpi/communicator.cc)
set_target_properties(libyona_mpi PROPERTIES OUTPUT_NAME yona_mpi PREFIX lib)
# The C interface alone: that of C++ left the standard in 2012.
target_compile_definitions(libyona_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(libyona_mpi PRIVATE libyona MPI::MPI_CXX)
yona_target(libyona_mpi)
