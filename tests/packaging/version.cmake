# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Checks that all files of SOURCE that contain the version have VERSION:
#   cmake -DSOURCE=… -DVERSION=… -P version.cmake
file(STRINGS ${SOURCE}/CHANGELOG.md headings REGEX "^## ")
list(GET headings 0 newest)
if(NOT newest MATCHES "^## [[]([0-9.]+)[]]" OR NOT CMAKE_MATCH_1 STREQUAL VERSION)
  message(SEND_ERROR "CHANGELOG.md begins with another version (${newest}, CMakeLists.txt has ${VERSION}): say what is new")
endif()
file(STRINGS ${SOURCE}/CITATION.cff line REGEX "^version: ")
if(NOT line STREQUAL "version: ${VERSION}")
  message(SEND_ERROR "CITATION.cff has another version (${line}, CMakeLists.txt has ${VERSION}): make it agree")
endif()
