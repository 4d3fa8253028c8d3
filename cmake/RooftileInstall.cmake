# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# The CMake package `rooftile`, installed and in the build tree. Each component has its own export set, so that users
# of the model need neither Kokkos nor CUDA. Install components have the names of the targets; the other files
# are in rooftile_dev.

include(CMakePackageConfigHelpers)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME rooftile_dev)

set(rooftile_components model)
set(rooftile_headers_of_others "")
if(ROOFTILE_ENABLE_PORTABLE)
  list(APPEND rooftile_components rooftile)
  install(FILES ${PROJECT_BINARY_DIR}/include/rooftile/config.hpp ${PROJECT_BINARY_DIR}/include/rooftile/fused_kernels.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftile)
else()
  list(APPEND rooftile_headers_of_others
       REGEX "/rooftile/(epilogue|fused|team_gemm)[.]hpp$" EXCLUDE PATTERN gemm.hpp EXCLUDE
       PATTERN gemm_grouped.hpp EXCLUDE PATTERN kokkosblas.hpp EXCLUDE)
endif()
if(ROOFTILE_ENABLE_CUDA_NATIVE)
  list(APPEND rooftile_components cuda_native)
else()
  list(APPEND rooftile_headers_of_others PATTERN cuda_native.hpp EXCLUDE PATTERN block_gemm.hpp EXCLUDE)
endif()
if(ROOFTILE_ENABLE_BLAS)
  list(APPEND rooftile_components blas)
endif()
if(ROOFTILE_ENABLE_C)
  list(APPEND rooftile_components c)
  install(FILES bindings/c/rooftile.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${PROJECT_BINARY_DIR}/include/rooftile/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftile)
endif()
if(ROOFTILE_ENABLE_DISTRIBUTED)
  list(APPEND rooftile_components distributed scalapack)
else()
  list(APPEND rooftile_headers_of_others REGEX "/rooftile/distributed$" EXCLUDE)
endif()
if(ROOFTILE_ENABLE_DISTRIBUTED_CUDA)
  list(APPEND rooftile_components distributed_cuda)
else()
  list(APPEND rooftile_headers_of_others REGEX "/rooftile/distributed/cuda[.]hpp$" EXCLUDE)
endif()
install(FILES ${PROJECT_BINARY_DIR}/include/rooftile/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftile)
install(DIRECTORY src/rooftile DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" ${rooftile_headers_of_others})

# Headers of kernels that are compiled in the user's source file: products in teams and thread blocks
# (rooftile/team_gemm.hpp), and GPU epilogues (rooftile/fused.hpp).
set(kernel_headers src/device src/plan src/team)
if(rooftile_users_compile_kernels)
  list(APPEND kernel_headers backends cuda_native src/cpu src/numerics ${PROJECT_BINARY_DIR}/include/backends)
endif()
install(DIRECTORY ${kernel_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftile/kernels
        FILES_MATCHING PATTERN "*.hpp" PATTERN vendor EXCLUDE)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rooftile)
foreach(component IN LISTS rooftile_components)
  string(REGEX REPLACE "^(model|cuda_native|blas|c|distributed|distributed_cuda|scalapack)$" "rooftile_\\1" target ${component})
  set(targets_file rooftile-${component}.cmake)
  if(NOT component STREQUAL "model")
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION})
    if(NOT component MATCHES "^(blas|c|scalapack)$")  # C++ interfaces may change with each version
      set_target_properties(${target} PROPERTIES SOVERSION ${PROJECT_VERSION})
    endif()
  endif()
  install(TARGETS ${target} EXPORT rooftile-${component}
          LIBRARY COMPONENT ${target} NAMELINK_COMPONENT rooftile_dev)
  install(EXPORT rooftile-${component} NAMESPACE rooftile:: FILE ${targets_file} DESTINATION ${package_dir})
  export(EXPORT rooftile-${component} NAMESPACE rooftile:: FILE ${PROJECT_BINARY_DIR}/${targets_file})
endforeach()
if(ROOFTILE_ENABLE_C)
  list(APPEND rooftile_components fortran)  # find_package compiles its targets from the sources
  install(DIRECTORY bindings/fortran/ DESTINATION ${package_dir}/fortran
          FILES_MATCHING PATTERN "*.f90" PATTERN "*.inc" PATTERN library.cmake)
endif()
if(ROOFTILE_ENABLE_PERF)
  if(BUILD_SHARED_LIBS AND NOT CMAKE_INSTALL_RPATH)
    set_target_properties(rooftile_program PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  endif()
  install(TARGETS rooftile_program COMPONENT rooftile_program)
  if(TARGET rooftile_ranks)
    if(BUILD_SHARED_LIBS AND NOT CMAKE_INSTALL_RPATH)
      set_target_properties(rooftile_ranks PROPERTIES INSTALL_RPATH "$ORIGIN/..")
    endif()
    install(TARGETS rooftile_ranks LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/rooftile COMPONENT rooftile_ranks)
  endif()
endif()

# rooftile_pkg_config(NAME DESCRIPTION CFLAGS): writes rooftile-NAME.pc, which derives the prefix from its own
# location. The libraries are shared and record their dependencies, so programs link only them, and Libs.private is not
# needed.
function(rooftile_pkg_config name description cflags)
  foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
    set(pc_${folder} "${CMAKE_INSTALL_${folder}}")
    if(NOT IS_ABSOLUTE "${pc_${folder}}")
      string(PREPEND pc_${folder} "\${prefix}/")
    endif()
  endforeach()
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  cmake_path(RELATIVE_PATH pc_prefix BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
  configure_file(cmake/rooftile.pc.in ${PROJECT_BINARY_DIR}/rooftile-${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/rooftile-${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
if(ROOFTILE_ENABLE_BLAS)
  rooftile_pkg_config(blas "BLAS' and CBLAS' gemm on CPUs, to be linked before another BLAS" "")
endif()
if(ROOFTILE_ENABLE_C)
  rooftile_pkg_config(c "matrix multiplication on CPUs for C and all that can call it" "-I\${includedir}")
endif()
if(ROOFTILE_ENABLE_DISTRIBUTED)
  rooftile_pkg_config(scalapack "PBLAS' gemm, to be linked before ScaLAPACK" "")
endif()

if(ROOFTILE_ENABLE_PORTABLE)
  string(REGEX MATCH "^([0-9]+)[.]([0-9]+)" rooftile_kokkos_minor "${rooftile_kokkos_version}")
  math(EXPR next "${CMAKE_MATCH_2} + 1")
  set(rooftile_kokkos_next_minor ${CMAKE_MATCH_1}.${next})
endif()
configure_package_config_file(cmake/rooftile-config.cmake.in ${PROJECT_BINARY_DIR}/rooftile-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rooftile-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rooftile-config.cmake ${PROJECT_BINARY_DIR}/rooftile-config-version.cmake
        DESTINATION ${package_dir})
if(ROOFTILE_ENABLE_DISTRIBUTED_CUDA)  # users of the component need the find module, too
  install(FILES cmake/FindNCCL.cmake DESTINATION ${package_dir})
  configure_file(cmake/FindNCCL.cmake ${PROJECT_BINARY_DIR}/FindNCCL.cmake COPYONLY)
endif()
