# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# The package `rooftile` with the components rooftile, cuda_native and model, installed and in the build tree.

include(CMakePackageConfigHelpers)

set(targets rooftile_model)
if(ROOFTILE_ENABLE_PORTABLE)
  list(APPEND targets rooftile)
endif()
if(ROOFTILE_ENABLE_CUDA_NATIVE)
  list(APPEND targets rooftile_cuda_native)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rooftile)
install(TARGETS ${targets} EXPORT rooftile-targets)
install(EXPORT rooftile-targets NAMESPACE rooftile:: DESTINATION ${package_dir})
export(EXPORT rooftile-targets NAMESPACE rooftile:: FILE ${PROJECT_BINARY_DIR}/rooftile-targets.cmake)

install(DIRECTORY src/rooftile ${PROJECT_BINARY_DIR}/include/rooftile DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
if(ROOFTILE_ENABLE_PERF)
  install(TARGETS rooftile_program)
endif()

configure_package_config_file(cmake/rooftile-config.cmake.in ${PROJECT_BINARY_DIR}/rooftile-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rooftile-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rooftile-config.cmake ${PROJECT_BINARY_DIR}/rooftile-config-version.cmake
        DESTINATION ${package_dir})
