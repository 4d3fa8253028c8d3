# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Configures SOURCE in BUILD with the initial cache CACHE, and builds it. Does not start the program, which may not even
# load without a GPU driver.
execute_process(COMMAND ${CMAKE_COMMAND} --fresh -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -C ${CACHE}
                COMMAND_ERROR_IS_FATAL ANY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --parallel ${cores} COMMAND_ERROR_IS_FATAL ANY)
