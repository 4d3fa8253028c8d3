# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Runs a copy of opened_blas in WORK twice: with the user's own rights, where it writes a log, and with the rights of
# another group, where it must not:
#   cmake -DPROGRAM=… -DLIBRARY=… -DWORK=… -P rights.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(copy ${WORK}/program)
file(COPY_FILE ${PROGRAM} ${copy})

# Any group except the user's own. root may choose any.
execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND id -g OUTPUT_VARIABLE own OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND id -G OUTPUT_VARIABLE groups OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE " " ";" groups "${groups}")
if(user STREQUAL "0")
  list(APPEND groups 65534)
endif()
list(REMOVE_ITEM groups ${own})
if(NOT groups)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "skipped: the user is in one group only")
  return()
endif()
list(GET groups 0 group)

function(run result)
  file(REMOVE ${WORK}/calls.log)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ROOFTILE_LOG=${WORK}/calls.log ${copy} ${LIBRARY} rights
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(logged without)
  if(EXISTS ${WORK}/calls.log)
    set(logged with)
  endif()
  string(STRIP "${output}" output)
  set(${result} "${code}, ${output}, ${logged} a log" PARENT_SCOPE)
endfunction()

run(first)
execute_process(COMMAND chgrp ${group} ${copy} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND chmod g+s ${copy} COMMAND_ERROR_IS_FATAL ANY)
run(second)
file(REMOVE ${copy})
if(NOT first STREQUAL "0, with its user's rights, with a log")
  message(FATAL_ERROR "by its user's rights: ${first}")
elseif(second STREQUAL first)  # e.g. a file system mounted nosuid
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "skipped: no program gets other rights here")
elseif(NOT second STREQUAL "0, with other rights, without a log")
  message(FATAL_ERROR "by other rights: ${second}")
endif()
