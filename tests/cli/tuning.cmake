# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# A table that `rooftile tune` writes, and one of our own for the same device, which bench must then follow:
#   cmake -DPROGRAM=rooftile -DFOLDER=a place for files -P tuning.cmake
function(run what result text)
  execute_process(COMMAND ${PROGRAM} ${ARGN} RESULT_VARIABLE ended OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \r\n]+" " " flat "${output}")
  string(FIND "${flat}" "${text}" at)
  if(NOT ended STREQUAL result OR at LESS 0)
    message(FATAL_ERROR "${what}: ended with ${ended}, not ${result}, or does not say: ${text}\n${output}")
  endif()
endfunction()

set(table ${FOLDER}/tuning.txt)
file(REMOVE ${table})
set(here --backend openmp serial --math fp32 --path portable --shape 40)
run("tune" 0 "the table of 'processor with blocks of" tune --table ${table} --samples 3 ${here})
file(STRINGS ${table} lines REGEX "^[^#]")
list(LENGTH lines length)
list(GET lines 0 version)
list(GET lines 1 device)
list(GET lines 2 entry)
list(GET lines -1 last)
if(NOT length EQUAL 4 OR NOT version STREQUAL "rooftile tuning 1" OR NOT device MATCHES "^device processor" OR
   NOT entry MATCHES "^portable fp32 40x40x40 [a-z_]+ [0-9x-]+ [0-9]+ [0-9]+$" OR NOT last STREQUAL "end")
  message(FATAL_ERROR "not a table: ${lines}")
endif()
set(bench bench ${here} --kernel automatic --samples 1 --tuning ${table})
run("bench by that table" 0 "portable" ${bench})

file(WRITE ${table} "${version}\n${device}\nportable fp32 40x40x40 tiled_checked 8x8x8 1 2\nend\n")
run("bench by a table of our own" 0 "tiled_checked (tuned) 8x8x8" ${bench})
run("bench far from its products" 0 "packed (auto)" ${bench} --shape 50)
file(WRITE ${table} "${version}\ndevice a toaster\nend\n")
run("bench by another device's table" 0 "n/a: tuning table of another device (a toaster, here is processor" ${bench})
file(WRITE ${table} "${version}\n${device}\nportable fp32 40x40 tiled_checked 8x8x8 1 2\nend\n")
run("bench by a broken table" 2 "not a positive extent (${table} line 3, '')" ${bench})
