# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Runs one of reference BLAS' testers in WORK with a library loaded first, on its own input with other sizes:
#   cmake -DFOLDER=… -DTESTER=xblat3d -DINPUT=dblat3.in -DSYMBOL=dgemm_ "-DSIZES=0 1 9" -DPRELOAD=… -DWORK=… -P tester.cmake
# Every routine must pass, and SYMBOL must come from librooftile_blas.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
file(READ ${FOLDER}/${INPUT} input)
string(REGEX MATCHALL "[0-9]+" count "${SIZES}")
list(LENGTH count count)
string(REGEX REPLACE "[0-9]+( +NUMBER OF VALUES OF N *\n)[^\n]*VALUES OF N" "${count}\\1${SIZES} VALUES OF N" wider
                     "${input}")
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_]+ +T PUT F FOR NO TEST" routines "${input}")
list(LENGTH routines routines)
if(wider STREQUAL input OR routines EQUAL 0)
  message(FATAL_ERROR "unknown input (${FOLDER}/${INPUT})")
endif()
file(WRITE ${WORK}/input "${wider}")

# Unpacked packages have their libraries next to them.
set(ENV{LD_LIBRARY_PATH} "${FOLDER}:${FOLDER}/..:$ENV{LD_LIBRARY_PATH}")
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_PRELOAD=${PRELOAD} LD_DEBUG=bindings LD_DEBUG_OUTPUT=${WORK}/bindings
                        ${FOLDER}/${TESTER}
                WORKING_DIRECTORY ${WORK} INPUT_FILE ${WORK}/input RESULT_VARIABLE result OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
file(GLOB summaries ${WORK}/*.out)
foreach(summary IN LISTS summaries)
  file(READ ${summary} text)
  string(APPEND output "${text}")
endforeach()

set(wrong "")
if(NOT result STREQUAL "0" OR output MATCHES "FAIL|FATAL|SUSPECT|\\*\\*\\*\\*")
  string(APPEND wrong "ended with ${result}, or a test failed\n")
endif()
set(kinds "TESTS OF ERROR-EXITS" "COMPUTATIONAL TESTS")
if(TESTER MATCHES "cblat3")
  set(kinds "TESTS OF ERROR-EXITS" "COLUMN-MAJOR COMPUTATIONAL TESTS" "ROW-MAJOR +COMPUTATIONAL TESTS")
endif()
foreach(kind IN LISTS kinds)
  string(REGEX MATCHALL "[A-Za-z0-9_]+ +PASSED THE ${kind}" passed "${output}")
  list(LENGTH passed passed)
  if(NOT passed EQUAL routines)
    string(APPEND wrong "${passed} of ${routines} routines passed the ${kind}\n")
  endif()
endforeach()
file(GLOB bindings ${WORK}/bindings.*)
set(found "")
foreach(file IN LISTS bindings)
  file(STRINGS ${file} lines REGEX "to [^ ]*librooftile_blas[^ ]* .*symbol `${SYMBOL}'")
  list(APPEND found ${lines})
endforeach()
if(NOT found)
  string(APPEND wrong "${SYMBOL} was not librooftile_blas'\n")
endif()
if(wrong)
  message(FATAL_ERROR "${output}\n${wrong}")
endif()
