# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# `bench --replay` repeats the calls of a program's log: its own log must contain the same calls.
#   cmake -DPROGRAM=rooftile -DFOLDER=a place for files -P replay.cmake
function(run what result text)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ROOFTILE_LOG=${log} ${PROGRAM} ${ARGN} RESULT_VARIABLE ended
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \r\n]+" " " flat "${output}")
  string(FIND "${flat}" "${text}" at)
  if(NOT ended STREQUAL result OR at LESS 0)
    message(FATAL_ERROR "${what}: ended with ${ended}, not ${result}, or does not say: ${text}\n${output}")
  endif()
endfunction()

# The distinct calls without alpha and beta, because the verification sets both to 1.
function(calls_of file result)
  file(STRINGS ${file} lines)
  list(TRANSFORM lines REPLACE "^.*(type=.*) alpha=[^ ]+ beta=[^ ]+ (count=[0-9]+ ).*$" "\\1 \\2")
  list(REMOVE_DUPLICATES lines)
  list(SORT lines)
  set(${result} "${lines}" PARENT_SCOPE)
endfunction()

set(log ${FOLDER}/program.log)
set(again ${FOLDER}/again.log)
set(json ${FOLDER}/replay.json)
set(here --backend openmp serial --path portable --samples 1)
file(REMOVE ${log} ${again} ${json})
run("a program" 0 "packed" bench ${here} --kernel packed --shape 9x20x31 --layout crc --batch 3 --pointers --dtype fp32 cfp64)
set(rest "math=fp64 path=- kernel=- tile=- how=- why=-\n")
file(APPEND ${log}
     "rooftile_log=1 call=DGEMM type=fp64 m=30 n=20 k=10 a=1,33,align16 b=25,1,align8 c=1,31,align32 alpha=x beta=1 count=1 ${rest}"
     "rooftile_log=1 call=DGEMM type=fp64 m=30 n=20 k=10 a=1,33,align16 b=25,1,align8 c=1,31,align32 alpha=x beta=1 count=1 ${rest}"
     "rooftile_log=1 call=rooftile_gemm_batched type=fp64 m=6 n=5 k=4 a=-9,2,align64,every-50 b=1,4,align128,pointers "
     "c=5,1,align64,every40 alpha=-1 beta=0 count=7 ${rest}"
     "rooftile_log=1 call=rooftile::gemm type=int8 result=int32 m=6 n=5 k=4 a=4,1,align64 b=5,1,align64 c=5,1,align64 "
     "alpha=1 beta=0 count=1 math=int8_int32 path=portable kernel=packed tile=96x512x256 how=panels why=-\n"
     "rooftile_log=1 call=DGEMM type=fp64 m=0 n=20 k=10 a=1,33,align16 b=25,1,align8 c=1,31,align32 alpha=x beta=1 count=1 ${rest}")
calls_of(${log} calls)
list(FILTER calls EXCLUDE REGEX " m=0 ")  # nothing to compute
set(replayed ${log})
set(log ${again})
run("a replay" 0 "1 call had nothing to compute" bench ${here} --replay ${replayed} --json ${json})
calls_of(${again} calls_again)
list(LENGTH calls length)
if(NOT length EQUAL 5 OR NOT calls STREQUAL calls_again)
  message(FATAL_ERROR "logged: ${calls}\nin the replay: ${calls_again}")
endif()
file(READ ${json} results)
string(JSON length LENGTH "${results}" results)
set(twice "")
math(EXPR last "${length} - 1")
foreach(i RANGE ${last})
  string(JSON operands GET "${results}" results ${i} operands)
  string(JSON count GET "${results}" results ${i} calls)
  if(operands STREQUAL "1,33,align16 25,1,align8 1,31,align32")
    string(APPEND twice "${count} ")
  endif()
endforeach()
if(NOT twice STREQUAL "2 ")
  message(FATAL_ERROR "not a result of two calls: '${twice}'\n${results}")
endif()
set(tune tune --replay ${replayed} --table ${FOLDER}/replay.txt --samples 1 --backend openmp serial)
run("a tune" 0 "is in ${FOLDER}/replay.txt 1 call had nothing to compute" ${tune})
run("a tune" 0 "calls of batches or with an epilogue left out: tables hold single products 1 call of mixed types left out: \
they have one kernel" ${tune})
# Two-dimensional batches are replayed with both dimensions. A call that is too large is reported, and the others run.
file(WRITE ${replayed}
     "rooftile_log=1 call=nested type=fp64 m=3 n=4 k=5 a=10,1,align8,every5,outer40 b=4,1,align8 c=4,1,align8,every12,outer36 "
     "alpha=1 beta=0 count=6 inner=3 ${rest}")
file(APPEND ${replayed}
     "rooftile_log=1 call=DGEMM type=fp64 m=1000000 n=1000000 k=1000000 a=1,1000000,align16 b=1,1000000,align16 "
     "c=1,1000000,align16 alpha=1 beta=0 count=1 ${rest}"
     "rooftile_log=1 call=DGEMM type=fp64 m=30 n=20 k=10 a=1,33,align16 b=25,1,align8 c=1,31,align32 alpha=x beta=1 count=1 ${rest}")
run("a replay of too large a call" 1 "rooftile: 1 call left out: too large for this machine (${replayed}:2, fp64 1000000x1000000x1000000 \
ccc (DGEMM, 1 call), " bench ${here} --replay ${replayed} --json ${json})
file(READ ${json} results)
foreach(part IN ITEMS "0 status ok" "0 inner 3" "0 batch 6" "1 status unsupported" "1 m 1000000" "2 status ok" "2 m 30")
  separate_arguments(part)
  list(POP_BACK part wanted)
  string(JSON found GET "${results}" results ${part})
  if(NOT found STREQUAL wanted)
    message(FATAL_ERROR "${part} is ${found}, not ${wanted}\n${results}")
  endif()
endforeach()
string(JSON reason GET "${results}" results 1 reason)
if(NOT reason MATCHES "^too large for this machine .*:2, .* GB wanted, .* GB free\\): replay it where there is more memory$")
  message(FATAL_ERROR "no such reason: ${reason}")
endif()
file(APPEND ${again} "rooftile_log=1 call=DGEMM type=fp9\n")
run("a damaged log" 2 ", 'fp9'): restore the logged line" bench --replay ${again})
file(REMOVE ${log} ${replayed} ${again} ${json} ${FOLDER}/replay.txt)
