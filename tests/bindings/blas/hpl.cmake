# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Runs HPL in WORK with a library loaded first. HPL is part of HPC Challenge, which runs as one process with its other
# benchmarks:
#   cmake -DHPCC=… -DPRELOAD=… "-DSIZE=1000" "-DBLOCK=64" -DMATH=fp64 -DWORK=… -P hpl.cmake
# The residual must pass, and the log must contain the library's updates of the matrix.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(WRITE ${WORK}/hpccinf.txt "title
title
HPL.out  file
8        output to it
1        sizes
${SIZE}
1        block sizes
${BLOCK}
0        processes by rows
1        grids
1        rows of processes
1        columns of processes
16.0     largest residual
1        panel factorizations
2        right-looking
1        sizes where recursion ends
4
1        panels in recursion
2
1        recursive factorizations
1        Crout
1        broadcasts
1        in a ring, modified
1        depths of lookahead
1
2        swap: mixed
64       swapping threshold
0        L1 transposed
0        U transposed
1        equilibration
8        alignment
separator
0        more sizes of PTRANS
0
0        more block sizes of PTRANS
0
")
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_PRELOAD=${PRELOAD} ROOFTILE_LOG=${WORK}/calls.log ROOFTILE_MATH=${MATH} ${HPCC}
                WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
set(results "")
if(EXISTS ${WORK}/hpccoutf.txt)
  file(READ ${WORK}/hpccoutf.txt results)
endif()
set(calls "")
if(EXISTS ${WORK}/calls.log)
  file(STRINGS ${WORK}/calls.log calls REGEX " call=cblas_dgemm .* alpha=-1 beta=1 .* math=${MATH} .* kernel=packed ")
endif()
set(wrong "")
if(NOT result STREQUAL "0" OR NOT results MATCHES "Success=1")
  string(APPEND wrong "ended with ${result}, or without success\n")
endif()
if(NOT results MATCHES "\n[|][|]Ax-b[|][|]_oo[^\n]*= +[0-9.e+-]+ [.]+ PASSED" OR results MATCHES "FAILED")
  string(APPEND wrong "the residual is too large\n")
endif()
if(NOT results MATCHES "HPL_N=${SIZE}\n")
  string(APPEND wrong "another size than ${SIZE} was solved\n")
endif()
if(NOT calls)
  string(APPEND wrong "cblas_dgemm was not the library's\n")
endif()
if(wrong)
  message(FATAL_ERROR "${output}\n${results}\n${wrong}")
endif()
