# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Debian packages with CPack: run `cpack` in the build folder. Sets
#   rooftile_debian_packages   the names of the packages
# A build with shared C++ libraries makes no packages, because the interface, and so the package names, may change with
# each version. A cross build makes none either, because this machine's dpkg does not know the libraries of the target.

set(rooftile_debian_packages "")
if(NOT PROJECT_IS_TOP_LEVEL OR BUILD_SHARED_LIBS OR CMAKE_CROSSCOMPILING)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Rooftile authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_CONTACT "The Rooftile authors" CACHE STRING "Who answers for the packages: NAME <ADDRESS>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/installed_size.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL "")

# rooftile_debian_package(COMPONENT PACKAGE SECTION DESCRIPTION): the first line of DESCRIPTION is the summary.
macro(rooftile_debian_package component package section description)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  list(APPEND rooftile_debian_packages ${package})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}")
  if(ROOFTILE_ENABLE_NATIVE_ARCH)
    string(APPEND CPACK_DEBIAN_${upper}_DESCRIPTION
           "\nCompiled for the CPU of the machine that built it (ROOFTILE_ENABLE_NATIVE_ARCH=ON).")
  endif()
  install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

set(libraries "")
foreach(binding IN ITEMS BLAS C SCALAPACK GPU)
  string(TOLOWER ${binding} name)
  if(TARGET rooftile_${name})
    set(what "gemm of BLAS and CBLAS on CPUs\nFor programs that call dgemm_ and the like, loaded or linked before another BLAS.")
    if(binding STREQUAL "C")
      set(what "matrix multiplication for C and Fortran\nOn CPUs, of six element types, with any strides and in batches.")
    endif()
    if(binding STREQUAL "SCALAPACK")
      set(what "gemm of PBLAS on CPUs\nFor programs that call pdgemm_ and the like, loaded or linked before ScaLAPACK.")
    endif()
    set(section libs)
    set(this_one "librooftile-${name}0 (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
    if(binding STREQUAL "GPU")  # contains the non-free CUDA runtime; programs do not link it
      set(what "gemm of BLAS and C on NVIDIA GPUs\nOpened at run time, with ROOFTILE_GPU=auto or for a handle of a stream.")
      set(section non-free/libs)
      set(CPACK_DEBIAN_ROOFTILE_BLAS_PACKAGE_SUGGESTS "${this_one}")
      set(CPACK_DEBIAN_ROOFTILE_C_PACKAGE_SUGGESTS "${this_one}")
    else()
      list(APPEND libraries "${this_one}")
    endif()
    rooftile_debian_package(rooftile_${name} librooftile-${name}0 ${section} "${what}")
    set(CPACK_DEBIAN_ROOFTILE_${binding}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/bindings/${name}/symbols)
  endif()
endforeach()

rooftile_debian_package(rooftile_dev librooftile-dev libdevel "files to build with Rooftile\n\
Headers, the static library in C++, packages of CMake and pkg-config, the sources of the Fortran module.")
list(JOIN libraries ", " CPACK_DEBIAN_ROOFTILE_DEV_PACKAGE_DEPENDS)
if(ROOFTILE_ENABLE_PORTABLE)
  set(CPACK_DEBIAN_ROOFTILE_DEV_PACKAGE_SUGGESTS libkokkos-dev)
endif()

# A program that is linked to libraries in .deps is not packaged, because other machines lack them.
if(ROOFTILE_ENABLE_PERF AND NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-rpath")
  rooftile_debian_package(rooftile_program rooftile science "measures and explains matrix multiplication\n\
Times portable, native and vendor kernels side by side, verified, under the measured roofline.")
  if(TARGET rooftile_ranks)
    rooftile_debian_package(rooftile_ranks rooftile-ranks science "measures products that MPI's processes share\n\
What `rooftile bench --ranks` opens: the program itself needs no MPI.")
    set(CPACK_DEBIAN_ROOFTILE_RANKS_PACKAGE_DEPENDS "rooftile (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
    set(CPACK_DEBIAN_ROOFTILE_PROGRAM_PACKAGE_SUGGESTS "rooftile-ranks")
  endif()
endif()

include(CPack)
