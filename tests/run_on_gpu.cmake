# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM, which fails without a GPU or driver. The test is then skipped, or fails with ROOFTILE_REQUIRE_GPU=1.
execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(result EQUAL 0)
  message(STATUS "${text}")
elseif(text MATCHES "(cuda|hip)Error(NoDevice|InsufficientDriver)|libcuda.so" AND NOT "$ENV{ROOFTILE_REQUIRE_GPU}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "skipped: ${text}")
else()
  message(FATAL_ERROR "${PROGRAM} ended with ${result}: ${text}")
endif()
