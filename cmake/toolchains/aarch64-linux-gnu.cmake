# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Compiles for Linux on aarch64 with Debian's g++-aarch64-linux-gnu, and runs programs with qemu if it is found. CMake
# searches only programs on this machine; CMAKE_FIND_ROOT_PATH names the folders of libraries.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

find_program(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++ REQUIRED)
find_program(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
find_program(CMAKE_Fortran_COMPILER aarch64-linux-gnu-gfortran)

cmake_path(GET CMAKE_CXX_COMPILER PARENT_PATH root)
cmake_path(GET root PARENT_PATH root)
cmake_path(APPEND root aarch64-linux-gnu)  # Debian's folder of aarch64 libraries
list(APPEND CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(rooftile_qemu_aarch64 qemu-aarch64)
if(rooftile_qemu_aarch64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${rooftile_qemu_aarch64} -L ${root})
endif()
