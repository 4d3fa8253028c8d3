# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# PROGRAM with FAULT must report a failure. The reported case must fail again with the fault and pass without it.
execute_process(COMMAND "${PROGRAM}" ${FAULT} RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE errors)
message(STATUS "${text}${errors}")
if(NOT "${text}${errors}" MATCHES "--case '([^']*)'")
  message(FATAL_ERROR "${FAULT}: ended with ${result} and named no case")
endif()
set(line "${CMAKE_MATCH_1}")
foreach(injected IN ITEMS ${FAULT} none)
  execute_process(COMMAND "${PROGRAM}" ${injected} --case "${line}" RESULT_VARIABLE result
                  OUTPUT_VARIABLE text ERROR_VARIABLE errors)
  if(injected STREQUAL "none" AND NOT result EQUAL 0)
    message(FATAL_ERROR "wrong without a fault, too (${line}): ${text}${errors}")
  elseif(NOT injected STREQUAL "none" AND result EQUAL 0)
    message(FATAL_ERROR "${FAULT}: not found again in ${line}")
  endif()
endforeach()
