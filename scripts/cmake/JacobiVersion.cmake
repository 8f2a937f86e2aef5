# version.hpp, through the target jacobi_version. It is made at build time, so that the commit is that of the sources compiled,
# and written only when it changes, so that a build without changes compiles nothing.
set(JACOBI_VERSION_DIR ${CMAKE_BINARY_DIR}/generated)
add_custom_target(jacobi_version_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DOUTPUT=${JACOBI_VERSION_DIR}/version.hpp
          -P ${CMAKE_CURRENT_LIST_DIR}/WriteVersion.cmake
  BYPRODUCTS ${JACOBI_VERSION_DIR}/version.hpp
  COMMENT "version.hpp: asking git")
add_library(jacobi_version INTERFACE)
target_include_directories(jacobi_version INTERFACE ${JACOBI_VERSION_DIR})
add_dependencies(jacobi_version jacobi_version_header)
