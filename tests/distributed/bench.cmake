# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# `rooftile bench --ranks` with a stand-in for ScaLAPACK, and with ScaLAPACK itself if it is installed.

add_library(distributed_stand_in MODULE stand_in.cpp)
rooftile_own_target(distributed_stand_in)
target_link_libraries(distributed_stand_in PRIVATE rooftile_model MPI::MPI_CXX)
set(stand_in --peer $<TARGET_FILE:distributed_stand_in>)

# rooftile_bench_test(NAME RANKS RESULT TEXT ONCE ARGUMENTS…): RESULT, TEXT and ONCE as for expect.cmake.
function(rooftile_bench_test name ranks result text once)
  add_test(NAME distributed.bench_${name}
           COMMAND ${CMAKE_COMMAND} -DRESULT=${result} "-DTEXT=${text}" "-DONCE=${once}" -P ${PROJECT_SOURCE_DIR}/tests/expect.cmake
                   -- ${MPIEXEC_EXECUTABLE} --oversubscribe ${MPIEXEC_NUMPROC_FLAG} ${ranks}
                   $<TARGET_FILE:rooftile_program> bench --ranks --samples 1 ${ARGN})
  set_tests_properties(distributed.bench_${name} PROPERTIES
    LABELS distributed TIMEOUT 300 PROCESSORS ${ranks} SKIP_REGULAR_EXPRESSION "^skipped: " ENVIRONMENT "${rooftile_mpi_environment};XDG_STATE_HOME=${CMAKE_CURRENT_BINARY_DIR}/state")
endfunction()

set(file ${CMAKE_CURRENT_BINARY_DIR}/ranks.json)
set(shares "4 processes of 1 thread;1 layer (auto);2 layers;4 layers;scalapack;cfp64 90x70x101 ccc alpha 2 beta -1 on 2x2 in 7x9")
rooftile_bench_test(shares 4 0 "${shares}" "fp32 60x60x60 [^:]* on 2x2 in 16x16" ${stand_in} --grid 2x2 --shape 60 --shape 90x70x101
                    --block 16 --block 7x9 --layers auto --layers 2 --layers 4 --alpha 2 --beta -1 --json ${file})
rooftile_bench_test(shares_with_idle 4 0 "3 processes of 1 thread;fp64 33x47x29 ccc on 1x3 in 64x64;scalapack" "measured ceilings"
                    ${stand_in} --grid 1x3 --shape 33x47x29)
rooftile_bench_test(alone 1 0 "1 process of 1 thread;1 layer (auto)" "measured ceilings" ${stand_in} --shape 50 --dtype fp64)
# A wrong element on one process fails the run on all. Another library's wrong element does not fail it.
set(wrong "scalapack;FAILED: rank 3 of 4: wrong result of integers (row 49, column 49, not exact): report this")
rooftile_bench_test(catches_peer 4 0 "${wrong};1 layer (auto)" "1 wrong result of another library: no ratio to it there" ${stand_in}
                    --shape 50 --block 5 --dtype fp64)
set_property(TEST distributed.bench_catches_peer APPEND PROPERTY ENVIRONMENT ROOFTILE_TEST_WRONG=1)
rooftile_bench_test(no_peer 2 0 "scalapack not here: /nowhere/x: cannot open;1 layer (auto)" "measured ceilings" --peer /nowhere/x
                    --shape 300 --dtype fp64 --reference 1e5)

# rooftile_bench_refuses(NAME RANKS TEXT ARGUMENTS…): the first process prints the refusal once.
function(rooftile_bench_refuses name ranks text)
  rooftile_bench_test(${name} ${ranks} 2 "${text}" "rooftile: " ${ARGN})
endfunction()
rooftile_bench_refuses(large_grid 4 "grid does not fit the communicator's processes (3 x 3 of 4): take at most" --grid 3x3)
rooftile_bench_refuses(no_grid 2 "not rows and columns (--grid 2xx): write them as 2x3" --grid 2xx)
rooftile_bench_refuses(no_block 2 "not rows and columns (--block 0): write them as 2x3, 1 to" --block 0)
rooftile_bench_refuses(no_layers 2 "not a number of layers (--layers few): write auto, or how many" --layers few)
rooftile_bench_refuses(empty 2 "nothing to time (--shape 8x0x8): take extents of 1 or more" --shape 8x0x8)
rooftile_bench_refuses(other_type 2 "no distributed product for these options (--dtype fp16): take fp32, fp64, cfp32 or cfp64" --dtype fp16)
rooftile_bench_refuses(no_folder 3 "rank 0 of 3: output cannot be written (--json /nowhere/x.json, No such file" --json /nowhere/x.json)
rooftile_bench_refuses(differs 1 "arguments differ between processes (rank 1 of 2 and rank 0)" --shape 8
                       : ${MPIEXEC_NUMPROC_FLAG} 1 $<TARGET_FILE:rooftile_program> bench --ranks --samples 1 --shape 9)
rooftile_bench_refuses(many_layers 2 "more layers than processes (--layers 3, 2): take at most as many" --layers auto --layers 3)
add_test(NAME distributed.bench_of_another_mpi
         COMMAND ${CMAKE_COMMAND} -DRESULT=2 "-DTEXT=processes are not in one MPI job (mpirun started 4): take the mpirun"
                 -P ${PROJECT_SOURCE_DIR}/tests/expect.cmake -- $<TARGET_FILE:rooftile_program> bench --ranks)
set_tests_properties(distributed.bench_of_another_mpi PROPERTIES
  LABELS distributed SKIP_REGULAR_EXPRESSION "^skipped: " ENVIRONMENT "${rooftile_mpi_environment};PMI_SIZE=4")

find_package(Python3 3.9 COMPONENTS Interpreter)
if(Python3_FOUND)
  set_tests_properties(distributed.bench_shares PROPERTIES FIXTURES_SETUP ranks_json)
  add_test(NAME distributed.bench_json COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/tests/cli/check_json.py
                                               ${PROJECT_SOURCE_DIR}/docs/bench.schema.json ${file})
  set_tests_properties(distributed.bench_json PROPERTIES LABELS distributed FIXTURES_REQUIRED ranks_json)
endif()

# The real ScaLAPACK, installed on this machine or by scripts/deps mpi-tests.
find_file(rooftile_scalapack_found libscalapack-openmpi.so.2.2 PATHS /usr ${CMAKE_PREFIX_PATH} NO_DEFAULT_PATH NO_CACHE
          PATH_SUFFIXES lib/${CMAKE_LIBRARY_ARCHITECTURE})
if(rooftile_scalapack_found)
  rooftile_bench_test(scalapack 4 0 "peers: scalapack libscalapack-openmpi.so;BLAS lib" "fp64 90x70x101 ccc on 2x2" --block 7x9
                      --peer ${rooftile_scalapack_found} --shape 90x70x101 --dtype fp64 --dtype cfp32)
  cmake_path(GET rooftile_scalapack_found PARENT_PATH folder)
  set_property(TEST distributed.bench_scalapack APPEND PROPERTY ENVIRONMENT
               LD_LIBRARY_PATH=${folder}:${folder}/blas:${folder}/lapack:$ENV{LD_LIBRARY_PATH})
endif()
