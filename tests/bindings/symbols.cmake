# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Checks that LIBRARY exports exactly the symbols in LIST, the file `symbols` of its binding. Its SONAME must be the one
# in LIST. It must contain nothing of Kokkos and need no library below DEPS:
#   cmake -DLIBRARY=… -DLIST=… -DNM=… -DOBJDUMP=… -DDEPS=… -P symbols.cmake
# "-DDECLARED=…;…" lists the functions of a header: LIBRARY must export each of them and no others.
file(STRINGS ${LIST} lines REGEX "^[^#]")
list(POP_FRONT lines head)
string(REGEX REPLACE " .*" "" soname "${head}")
set(listed "")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^ ([^@ ]+)@Base [0-9.]+$")
    message(SEND_ERROR "not a symbol (${LIST}: '${line}'): write ' NAME@Base VERSION'")
  endif()
  list(APPEND listed ${CMAKE_MATCH_1})
endforeach()

execute_process(COMMAND ${NM} --dynamic --defined-only --format=posix ${LIBRARY} OUTPUT_VARIABLE text
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${text}")
list(TRANSFORM lines REPLACE " .*" "" OUTPUT_VARIABLE shown)
set(gone ${listed})
list(REMOVE_ITEM gone ${shown})
list(REMOVE_ITEM shown ${listed})
if(shown)
  message(SEND_ERROR "shows what is not listed (${shown}): hide it (bindings/CMakeLists.txt); if it is a new function of the "
                     "interface, add it to ${LIST} with the version that it comes in")
endif()
if(gone)
  message(SEND_ERROR "lacks what programs may call (${gone}): bring it back; if it must go, take it out of ${LIST} and raise "
                     "the number behind .so. there")
endif()
if(DECLARED)
  list(SORT DECLARED)
  list(SORT listed)
  if(NOT DECLARED STREQUAL listed)
    message(SEND_ERROR "the header declares ${DECLARED}\nnot what ${LIST} lists (${listed}): make them agree")
  endif()
endif()

foreach(table "" --dynamic)
  execute_process(COMMAND ${NM} ${table} ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "[^\n]*[Kk]okkos[^\n]*" symbol "${text}")
  if(symbol)
    message(SEND_ERROR "has a symbol of Kokkos: ${symbol}")
  endif()
endforeach()

execute_process(COMMAND ${OBJDUMP} -p ${LIBRARY} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
if(NOT text MATCHES "SONAME +${soname}\n")
  message(SEND_ERROR "its SONAME is not what ${LIST} begins with (${soname}): see bindings/CMakeLists.txt")
endif()
string(REPLACE "${DEPS}/mpi/" "" text "${text}")  # the MPI of scripts/deps stands for the machine's
string(FIND "${text}" "${DEPS}" at)
if(at GREATER_EQUAL 0 OR text MATCHES "NEEDED +[^\n]*(kokkos|openblas)")
  message(SEND_ERROR "needs what other processes lack:\n${text}")
endif()
