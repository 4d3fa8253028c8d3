# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Checks that LIBRARY shows the symbols EXPECTED and no others, that nothing of Kokkos is in it, and that it needs nothing
# below DEPS:
#   cmake -DLIBRARY=… "-DEXPECTED=…;…" -DNM=… -DOBJDUMP=… -DDEPS=… -P symbols.cmake
set(expected ${EXPECTED})
list(SORT expected)

execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE text
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${text}")
set(shown "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE " .*" "" symbol "${line}")
  list(APPEND shown ${symbol})
endforeach()
list(SORT shown)
if(NOT shown STREQUAL expected)
  message(SEND_ERROR "shows ${shown}\nnot  ${expected}")
endif()

foreach(table "" --dynamic)
  execute_process(COMMAND ${NM} ${table} ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "[^\n]*[Kk]okkos[^\n]*" symbol "${text}")
  if(symbol)
    message(SEND_ERROR "has a symbol of Kokkos: ${symbol}")
  endif()
endforeach()

execute_process(COMMAND ${OBJDUMP} -p ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
string(FIND "${text}" "${DEPS}" at)
if(at GREATER_EQUAL 0 OR text MATCHES "NEEDED +[^\n]*(kokkos|openblas)")
  message(SEND_ERROR "needs what other processes lack:\n${text}")
endif()
