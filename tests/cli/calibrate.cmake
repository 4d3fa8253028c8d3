# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# The costs that `rooftile calibrate` finds of a GPU that goes by known ones, in a table that is there:
#   cmake -DPROGRAM=the program with such a GPU -DFOLDER=a place for files -P calibrate.cmake
string(RANDOM LENGTH 12 unique)
set(table ${FOLDER}/calibrate-${unique}.txt)
set(kept "native fp64 40x40x40 rrr aligned naive 16x16 1 2")
file(WRITE ${table} "rooftile tuning 2\ndevice NVIDIA H200\ncost read 3\n${kept}\nnative fp32 40x40x40 rrr aligned automatic - 1 1\nend\n")
execute_process(COMMAND ${PROGRAM} calibrate --table ${table} --samples 4 RESULT_VARIABLE ended OUTPUT_VARIABLE output
                ERROR_VARIABLE output)
file(STRINGS ${table} lines REGEX "^[^#]")
file(REMOVE ${table})
string(REGEX REPLACE "[ \r\n]+" " " flat "${output}")
foreach(text IN ITEMS "1700 MHz: the clock under load" "repack_start 6000 7000 " "repack_bytes 1700 1234 " "unit_start 2.6e+04 2.6e+04 "
                      "unit_bytes 1000 800 " "l2_byte 0.042 0.05 " "tf32x3_start 3e+04 2.5e+04 " "int8_tile 6500 6500 " "19 costs in ${table}")
  string(FIND "${flat}" "${text}" at)
  if(NOT ended EQUAL 0 OR at LESS 0)
    message(FATAL_ERROR "ended with ${ended}, or does not say: ${text}\n${output}")
  endif()
endforeach()
set(costs ${lines})
list(FILTER costs INCLUDE REGEX "^cost [a-z0-9_]+ [-0-9.e]+$")
list(LENGTH costs count)
list(LENGTH lines length)
list(GET lines -2 entry)
if(NOT count EQUAL 19 OR NOT length EQUAL 23 OR NOT entry STREQUAL kept)
  message(FATAL_ERROR "not 19 costs and the entry with a kernel: ${lines}")
endif()
