# Environment of every mpirun in tests: root and more ranks than cores are fine here, and waiting ranks give their core away.
set(JACOBI_MPI_TEST_ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1)

# jacobi_side_by_side(test slots cost)
# How many of ctest's parallel slots (-j) a test takes, and about how many seconds: ctest starts the longest first. On a host with
# GPUs one such test runs at a time: ranks of several would take turns on a GPU, and its tests are about who waits for whom.
# Each has temporary files of its own: Open MPI's jobs of a host share a folder there, which one that ends removes when it is
# empty, perhaps just before another one that starts has made its own in it.
function(jacobi_side_by_side test slots cost)
  set(temporary ${CMAKE_CURRENT_BINARY_DIR}/tmp/${test})
  file(MAKE_DIRECTORY ${temporary})
  set_tests_properties(${test} PROPERTIES PROCESSORS ${slots} COST ${cost})
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "TMPDIR=${temporary}")
  if(JACOBI_WITH_CUDA AND JACOBI_GPUS GREATER 0)
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# jacobi_mpi_test(name target ranks... [ARGS argument...] [LAUNCHER command...] [TIMEOUT seconds])
# Adds tests NAME.np<ranks>, label mpi. LAUNCHER goes before mpirun. One that exits with 77 counts as skipped.
function(jacobi_mpi_test name target)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "TIMEOUT" "ARGS;LAUNCHER")
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 900)  # far more than it takes: busy machines share their cores
  endif()
  foreach(ranks IN LISTS test_UNPARSED_ARGUMENTS)
    add_test(NAME ${name}.np${ranks} COMMAND ${test_LAUNCHER} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
             ${MPIEXEC_PREFLAGS} $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS} ${test_ARGS})
    set_tests_properties(${name}.np${ranks} PROPERTIES LABELS mpi TIMEOUT ${test_TIMEOUT}
                         SKIP_RETURN_CODE 77 ENVIRONMENT "${JACOBI_MPI_TEST_ENVIRONMENT}")
    jacobi_side_by_side(${name}.np${ranks} ${ranks} 10)
  endforeach()
endfunction()
