# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Runs `spack audit` on the recipe in REPOSITORY, with its own configuration and caches in FOLDER. The environment
# variable ROOFTILE_SPACK names the checkout of Spack.
set(spack "$ENV{ROOFTILE_SPACK}/bin/spack")
if("$ENV{ROOFTILE_SPACK}" STREQUAL "")
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "skipped: ROOFTILE_SPACK names no checkout of Spack")
  return()
elseif(NOT EXISTS "${spack}")
  message(FATAL_ERROR "no Spack (ROOFTILE_SPACK=$ENV{ROOFTILE_SPACK}): name a checkout, which has bin/spack")
endif()
file(WRITE ${FOLDER}/config/repos.yaml "repos:\n  rooftile: ${REPOSITORY}\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E env SPACK_DISABLE_LOCAL_CONFIG=1 SPACK_USER_CACHE_PATH=${FOLDER}/cache
                        "${spack}" --config-scope ${FOLDER}/config audit packages rooftile
                COMMAND_ERROR_IS_FATAL ANY)
