# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Configures SOURCE in BUILD with what the file CACHE says, and builds it. Its program is not started: without a
# GPU's driver it need not even load.
execute_process(COMMAND ${CMAKE_COMMAND} --fresh -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -C ${CACHE}
                COMMAND_ERROR_IS_FATAL ANY)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --parallel ${cores} COMMAND_ERROR_IS_FATAL ANY)
