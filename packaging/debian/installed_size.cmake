# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# CPack runs this script after it has made the packages. The script corrects their Installed-Size, because CPack
# follows symbolic links and counts libraries twice. As in dpkg-gencontrol, a file counts in whole KiB, and a folder or
# a link counts as one KiB.
cmake_minimum_required(VERSION 3.25)
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(dpkg_deb dpkg-deb)
if(NOT dpkg_deb)
  message(STATUS "no dpkg-deb: Installed-Size counts libraries twice")
  return()
endif()
foreach(deb IN LISTS CPACK_PACKAGE_FILES)
  set(folder ${deb}.unpacked)
  file(REMOVE_RECURSE ${folder})
  execute_process(COMMAND ${dpkg_deb} --raw-extract ${deb} ${folder} COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD ${folder} ${folder}/DEBIAN  # independent of the umask
       PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

  file(GLOB_RECURSE entries LIST_DIRECTORIES true RELATIVE ${folder} ${folder}/*)
  list(FILTER entries EXCLUDE REGEX "^DEBIAN(/|$)")
  set(kib 0)
  foreach(entry IN LISTS entries)
    set(bytes 1)
    if(NOT IS_SYMLINK ${folder}/${entry} AND NOT IS_DIRECTORY ${folder}/${entry})
      file(SIZE ${folder}/${entry} bytes)
    endif()
    math(EXPR kib "${kib} + (${bytes} + 1023) / 1024")
  endforeach()

  file(READ ${folder}/DEBIAN/control control)
  if(control MATCHES "\nInstalled-Size: ([0-9]+)" AND CMAKE_MATCH_1 GREATER kib)
    string(REPLACE "${CMAKE_MATCH_0}" "\nInstalled-Size: ${kib}" control "${control}")
    file(WRITE ${folder}/DEBIAN/control "${control}")
    execute_process(COMMAND ${dpkg_deb} --root-owner-group -Zgzip --build ${folder} ${deb} OUTPUT_QUIET
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(REMOVE_RECURSE ${folder})
endforeach()
