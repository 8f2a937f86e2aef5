# Dependencies are found, never vendored; scripts/packages lists the Debian packages. Names that differ between versions get one:
# MPI::MPI_CXX, jacobi_hdf5, yaml-cpp::yaml-cpp, CLI11::CLI11, fmt::fmt, nlohmann_json::nlohmann_json, jacobi_hwloc.
set(MPI_CXX_SKIP_MPICXX ON)  # MPI's C interface only
find_package(MPI 3.0 REQUIRED COMPONENTS CXX)

set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C HL)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "HDF5 in ${HDF5_INCLUDE_DIRS} is serial, a parallel one is needed (Debian: libhdf5-openmpi-dev). Where there are "
                      "both, set HDF5_ROOT or -DHDF5_C_COMPILER_EXECUTABLE=/path/to/h5pcc, in a fresh build folder")
endif()
add_library(jacobi_hdf5 INTERFACE)
target_include_directories(jacobi_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(jacobi_hdf5 INTERFACE ${HDF5_C_HL_LIBRARIES} ${HDF5_C_LIBRARIES} MPI::MPI_CXX)

find_package(yaml-cpp REQUIRED)
if(NOT TARGET yaml-cpp::yaml-cpp)  # 0.7 exports the target without a namespace
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

# Optional: which NUMA node a GPU belongs to. JACOBI_HAVE_HWLOC is defined for those who link jacobi_hwloc, where it is found.
find_path(HWLOC_INCLUDE_DIR hwloc.h)
find_library(HWLOC_LIBRARY hwloc)
add_library(jacobi_hwloc INTERFACE)
if(HWLOC_INCLUDE_DIR AND HWLOC_LIBRARY)
  target_include_directories(jacobi_hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIR})
  target_link_libraries(jacobi_hwloc INTERFACE ${HWLOC_LIBRARY})
  target_compile_definitions(jacobi_hwloc INTERFACE JACOBI_HAVE_HWLOC)
else()
  message(STATUS "jacobi: no hwloc: GPUs are placed without regard to NUMA nodes")
endif()
