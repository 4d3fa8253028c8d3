# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Runs Debian's PBLAS level 3 tester in WORK on grids of 1, 2, 3, 4, 6 and 9 ranks, with librooftile_scalapack loaded first. The input is the
# tester's own, reduced to gemm:
#   cmake -DTYPE=d -DTESTERS=… -DINPUTS=… -DMPIEXEC=mpirun [-DLIBRARIES=…] -DPRELOAD=… -DWORK=… -P tester.cmake
# Every product and every error exit must pass, and the routine must come from librooftile_scalapack.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
string(TOUPPER ${TYPE} letter)
file(READ ${INPUTS}/P${letter}BLAS3TST.dat input)
string(REGEX REPLACE "\n(P${letter}(SY|HE|TR|GEADD)[A-Z0-9]*) +T" "\n\\1 F" gemm_alone "${input}")
string(REGEX REPLACE "\n[0-9]+([ \t]+number of process grids[^\n]*)\n[^\n]*(values of P)\n[^\n]*(values of Q)\n"
       "\n6\\1\n1 1 3 2 2 3 \\2\n1 2 1 2 3 3 \\3\n" on_grids "${gemm_alone}")
if(gemm_alone STREQUAL input OR on_grids STREQUAL gemm_alone)
  message(FATAL_ERROR "unknown input (${INPUTS}/P${letter}BLAS3TST.dat)")
endif()
file(WRITE ${WORK}/P${letter}BLAS3TST.dat "${on_grids}")

set(found_by "")
if(LIBRARIES)
  set(found_by -x LD_LIBRARY_PATH=${LIBRARIES})
endif()
execute_process(COMMAND ${MPIEXEC} --oversubscribe -n 9 -x LD_PRELOAD=${PRELOAD} ${found_by} -x LD_DEBUG=bindings -x ROOFTILE_SCALAPACK_SMALL=0
                        -x LD_DEBUG_OUTPUT=${WORK}/bindings ${TESTERS}/${TYPE}pb3tst
                WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
set(wrong "")
if(NOT result STREQUAL "0" OR NOT output MATCHES "Error-exit tests completed" OR output MATCHES "FAILED +\\*|ERROR")
  string(APPEND wrong "ended with ${result}, or a test failed\n")
endif()
if(NOT output MATCHES "P${letter}GEMM +([0-9]+) +([0-9]+) +0 +0" OR NOT CMAKE_MATCH_1 EQUAL CMAKE_MATCH_2
   OR CMAKE_MATCH_1 EQUAL 0)
  string(APPEND wrong "not all products passed\n")
endif()
file(GLOB files ${WORK}/bindings.*)
set(found "")
foreach(file IN LISTS files)
  file(STRINGS ${file} lines REGEX "to [^ ]*librooftile_scalapack[^ ]* .*symbol `p${TYPE}gemm_'")
  list(APPEND found ${lines})
endforeach()
if(NOT found)
  string(APPEND wrong "p${TYPE}gemm_ was not librooftile_scalapack's\n")
endif()
if(wrong)
  message(FATAL_ERROR "${output}\n${wrong}")
endif()
