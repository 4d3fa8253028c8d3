# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Runs a command and checks how it ends and what it says:
#   cmake -DRESULT=2 "-DTEXT=first piece;second piece" -P expect.cmake -- PROGRAM ARGUMENT…
# RESULT is the exit code, or `failure` for any but 0. Each piece of TEXT is in the output, line breaks aside, which
# CMake's own messages put anywhere. With ABSENT=FILE, there is no such file afterwards, nor one whose name begins so.
set(command "")
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
list(JOIN command " " command)
string(REGEX REPLACE "[ \r\n]+" " " flat "${output}")
set(wrong "")
if(RESULT STREQUAL "failure" AND result STREQUAL "0" OR NOT RESULT STREQUAL "failure" AND NOT result STREQUAL RESULT)
  string(APPEND wrong "ended with ${result}, not ${RESULT}\n")
endif()
foreach(piece IN LISTS TEXT)
  string(FIND "${flat}" "${piece}" at)
  if(at LESS 0)
    string(APPEND wrong "does not say: ${piece}\n")
  endif()
endforeach()
if(ABSENT)
  file(GLOB left "${ABSENT}*")
  if(left)
    string(APPEND wrong "left behind: ${left}\n")
  endif()
endif()
if(wrong)
  message(FATAL_ERROR "${command}\n${wrong}output:\n${output}")
endif()
