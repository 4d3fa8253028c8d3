# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian packages of BUILD, unpacks them into an empty folder, and from there builds and runs a program in C with
# pkg-config's words, and loads the BLAS into one that was linked with another:
#   cmake -DBUILD=… -DCONFIG=… -DSOURCE=… -DFOLDER=… "-DPACKAGES=…;…" -DCPACK=… -DCC=… -DPKG_CONFIG=… -P debian_packages.cmake
cmake_minimum_required(VERSION 3.25)
set(debs ${FOLDER}/debs)
set(root ${FOLDER}/root)
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${root})
execute_process(COMMAND ${CPACK} -G DEB -C ${CONFIG} --config ${BUILD}/CPackConfig.cmake -B ${debs}
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE log ERROR_VARIABLE log)

file(GLOB made RELATIVE ${debs} ${debs}/*.deb)
list(TRANSFORM made REPLACE "_.*" "" OUTPUT_VARIABLE names)
list(SORT PACKAGES)
list(SORT names)
if(NOT names STREQUAL PACKAGES)
  message(FATAL_ERROR "made the packages ${names}, not ${PACKAGES}:\n${log}")
endif()

set(all_files "")
foreach(deb IN LISTS made)
  execute_process(COMMAND dpkg-deb --field ${debs}/${deb} OUTPUT_VARIABLE control COMMAND_ERROR_IS_FATAL ANY)
  set(wanted "Description: [a-z]" "\nVersion: [0-9.]+-1\n")
  if(deb MATCHES "^librooftile-(blas|c)0_")
    list(APPEND wanted "Depends: [^\n]*libc6 \\(>= " "Depends: [^\n]*libgomp1 ")
    if("librooftile-gpu0" IN_LIST PACKAGES)
      list(APPEND wanted "Suggests: librooftile-gpu0 \\(= [0-9.]+-1\\)\n")
    endif()
  elseif(deb MATCHES "^librooftile-gpu0_")
    list(APPEND wanted "Depends: [^\n]*libc6 \\(>= " "Section: non-free/libs\n")
  elseif(deb MATCHES "^librooftile-dev_")
    list(APPEND wanted "Depends: librooftile-blas0 \\(= [0-9.]+-1\\), librooftile-c0 \\(= [0-9.]+-1\\)(, librooftile-scalapack0 \\(= [0-9.]+-1\\))?\n")
  endif()
  foreach(pattern IN LISTS wanted)
    if(NOT control MATCHES "${pattern}")
      message(SEND_ERROR "${deb} does not say '${pattern}':\n${control}")
    endif()
  endforeach()

  execute_process(COMMAND dpkg-deb --fsys-tarfile ${debs}/${deb} COMMAND tar --list OUTPUT_VARIABLE files
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]*[^/\n]\n" files "${files}")  # no folders
  list(APPEND all_files ${files})
  string(REGEX REPLACE "_.*" "" package ${deb})
  if(NOT "./usr/share/doc/${package}/copyright\n" IN_LIST files)
    message(SEND_ERROR "${deb} says nothing of its licence")
  endif()
  execute_process(COMMAND dpkg-deb --extract ${debs}/${deb} ${root} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
set(once ${all_files})
list(REMOVE_DUPLICATES once)
set(elsewhere ${all_files})
list(FILTER elsewhere EXCLUDE REGEX "^\\./usr/")
if(elsewhere OR NOT once STREQUAL all_files)
  message(SEND_ERROR "files of two packages, or outside ./usr (${elsewhere}):\n${all_files}")
endif()

file(GLOB_RECURSE pc ${root}/rooftile-c.pc)
cmake_path(GET pc PARENT_PATH pc)
set(ENV{PKG_CONFIG_LIBDIR} ${pc})
cmake_path(GET pc PARENT_PATH libraries)
file(GLOB shared ${libraries}/librooftile_*.so.0)
foreach(library IN LISTS shared)
  file(STRINGS ${library} leaks REGEX "${BUILD}|${SOURCE}")
  if(leaks)
    message(SEND_ERROR "${library} knows the machine that built it: ${leaks}")
  endif()
endforeach()

set(program ${FOLDER}/example_c)
execute_process(COMMAND ${PKG_CONFIG} --cflags --libs rooftile-c OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
execute_process(COMMAND ${CC} ${SOURCE}/examples/04_c/main.c -o ${program} ${flags} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${libraries} ${program} COMMAND_ERROR_IS_FATAL ANY)

# The other BLAS' dgemm_ ends the program, so that it runs to its end only with ours.
set(program ${FOLDER}/calls_dgemm)
execute_process(COMMAND ${CC} -shared -fPIC ${SOURCE}/tests/consumer/blas/other.c -o ${FOLDER}/libother.so
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CC} ${SOURCE}/tests/consumer/blas/main.c -o ${program} -L${FOLDER} -lother -Wl,-rpath,${FOLDER}
                COMMAND_ERROR_IS_FATAL ANY)
foreach(preload IN ITEMS "" ${libraries}/librooftile_blas.so.0)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_PRELOAD=${preload} ${program} RESULT_VARIABLE result)
  if(preload STREQUAL "" AND NOT result EQUAL 3 OR preload AND NOT result EQUAL 0)
    message(SEND_ERROR "a program that calls dgemm_ ended with ${result} (LD_PRELOAD=${preload})")
  endif()
endforeach()

if("rooftile" IN_LIST PACKAGES)
  execute_process(COMMAND ${root}/usr/bin/rooftile --version COMMAND_ERROR_IS_FATAL ANY)
endif()
