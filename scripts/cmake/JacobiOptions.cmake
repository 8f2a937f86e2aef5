# Build type, warnings and the floating-point contract, as the interface target jacobi_options that every target links.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
option(JACOBI_WERROR "Treat warnings as errors" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # installed programs find MPI and HDF5 where the built ones do
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# The numerics contract (kernels/README.md): no contraction, fma is written out where it is meant; and no fast-math anywhere in the
# link, since its start-up code flushes denormals to zero for the whole process.
foreach(flags CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_RELEASE CMAKE_C_FLAGS CMAKE_CUDA_FLAGS CMAKE_EXE_LINKER_FLAGS)
  if("${${flags}}" MATCHES "fast-?_?math|-Ofast|unsafe-math")
    message(FATAL_ERROR "${flags} has '${CMAKE_MATCH_0}', which would change the bits that this program promises: take it out")
  endif()
endforeach()
add_library(jacobi_options INTERFACE)
target_link_libraries(jacobi_options INTERFACE Threads::Threads)
target_compile_options(jacobi_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -Wall -Wextra -Wshadow>
                                                $<$<COMPILE_LANGUAGE:CUDA>:--fmad=false -Xcompiler=-ffp-contract=off,-Wall>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms about std::string's own copies (GCC bug 105651).
  target_compile_options(jacobi_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(JACOBI_WERROR)
  target_compile_options(jacobi_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
