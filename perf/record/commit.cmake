# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=… -DHEADER=… -P commit.cmake: writes the commit into a header, which changes only with the commit. For
# sources without git, the environment variable ROOFTILE_COMMIT may state the commit.
set(commit "$ENV{ROOFTILE_COMMIT}")
if(commit STREQUAL "" AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT commit MATCHES "^[0-9A-Za-z._-]+$")
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#pragma once

namespace rooftile::perf {
inline constexpr const char* commit = \"${commit}\";
}
")
