# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Checks that OBJECT exports only the symbol EXPECTED:
#   cmake -DOBJECT=… -DEXPECTED=… -DNM=… -P symbols_of_set.cmake
execute_process(COMMAND ${NM} --defined-only --extern-only --format=posix ${OBJECT} OUTPUT_VARIABLE text
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " [^\n]*" "" shown "${text}")
string(STRIP "${shown}" shown)
if(NOT shown STREQUAL EXPECTED)
  message(FATAL_ERROR "shows\n${shown}\nnot ${EXPECTED} alone")
endif()
