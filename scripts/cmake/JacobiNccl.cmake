# NCCL for comm.transport: nccl: where CUDA is built and NCCL is found (AUTO), on demand (ON), or not at all (OFF). Sets
# JACOBI_WITH_NCCL and the target jacobi_nccl. NCCL_ROOT names an installation of its own, also a Python package's folder
# (site-packages/nvidia/nccl).
set(JACOBI_NCCL AUTO CACHE STRING "Build the transport nccl: AUTO (if CUDA is built and NCCL is found), ON, OFF")
set_property(CACHE JACOBI_NCCL PROPERTY STRINGS AUTO ON OFF)
set(JACOBI_WITH_NCCL OFF)
if(NOT JACOBI_NCCL)
  return()
endif()
if(JACOBI_WITH_CUDA)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} $ENV{NCCL_HOME} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  # libnccl.so.2: Python packages have no libnccl.so.
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} $ENV{NCCL_HOME} ${CUDAToolkit_LIBRARY_DIR}
               PATH_SUFFIXES lib lib64)
endif()
if(NCCL_INCLUDE_DIR AND NCCL_LIBRARY)
  add_library(jacobi_nccl INTERFACE)
  target_include_directories(jacobi_nccl SYSTEM INTERFACE ${NCCL_INCLUDE_DIR})
  target_link_libraries(jacobi_nccl INTERFACE ${NCCL_LIBRARY})
  set(JACOBI_WITH_NCCL ON)
  message(STATUS "jacobi: NCCL: ${NCCL_LIBRARY}")
elseif(NOT JACOBI_NCCL STREQUAL "AUTO")
  message(FATAL_ERROR "JACOBI_NCCL=${JACOBI_NCCL}, but there is no CUDA back end or no NCCL (Debian: libnccl-dev; or set NCCL_ROOT)")
endif()
