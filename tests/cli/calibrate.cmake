# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# `rooftile calibrate` fits costs to a recorded sweep and adds them to an existing table, which `explain` then uses:
#   cmake -DPROGRAM=rooftile -DSWEEP=a file of rooftile sweep -DFOLDER=a place for files -P calibrate.cmake
string(RANDOM LENGTH 12 unique)
set(table ${FOLDER}/calibrate-${unique}.txt)
set(kept "native fp64 40x40x40 rrr aligned naive 16x16 1 2")
set(device "device NVIDIA H100 80GB HBM3")
file(WRITE ${table} "rooftile tuning 3\n${device}\n${kept}\nnative fp32 40x40x40 rrr aligned automatic - 1 1\nend\n")
execute_process(COMMAND ${PROGRAM} calibrate --table ${table} --sweep ${SWEEP} --unseen ${SWEEP} --device H100
                RESULT_VARIABLE ended OUTPUT_VARIABLE output ERROR_VARIABLE output)
file(STRINGS ${table} lines REGEX "^[^#]")
set(modes ${lines})
list(FILTER modes INCLUDE REGEX "^mode native fp64 repack_start=[0-9.e+]+ ")
list(LENGTH modes count)
list(GET lines 1 same)
list(GET lines -2 entry)
if(NOT ended EQUAL 0 OR NOT count EQUAL 1 OR NOT same STREQUAL device OR NOT entry STREQUAL kept)
  message(FATAL_ERROR "ended with ${ended}, or not the costs of a mode and the entry with a kernel: ${lines}\n${output}")
endif()
execute_process(COMMAND ${PROGRAM} explain --m 2000 --n 300 --k 2000 --math fp64 --path native --device H100 --json
                --tuning ${table} RESULT_VARIABLE ended OUTPUT_VARIABLE json ERROR_VARIABLE output)
file(REMOVE ${table})
string(JSON costs GET "${json}" costs)
string(JSON seconds GET "${json}" choice seconds)
if(NOT ended EQUAL 0 OR NOT costs STREQUAL "NVIDIA H100 80GB HBM3" OR NOT seconds GREATER 0)
  message(FATAL_ERROR "explain ended with ${ended}, by costs of ${costs}: ${seconds} s\n${output}")
endif()
