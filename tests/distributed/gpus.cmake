# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Products in memory of GPUs: the exchange of panels without one, products and missing processes with some.

# What the library packs and unpacks, copied on the host in place of the kernel.
add_executable(distributed_packing packing.cpp ${PROJECT_SOURCE_DIR}/backends/nccl/device_panels.cpp)
rooftile_own_target(distributed_packing)
target_include_directories(distributed_packing PRIVATE ${PROJECT_SOURCE_DIR} ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(distributed_packing PRIVATE rooftile_distributed)
foreach(ranks 1 2 4 6)
  rooftile_mpi_test(packing_${ranks} ${ranks} $<TARGET_FILE:distributed_packing> 200)
endforeach()
rooftile_mpi_test(packing_catches_last 2 $<TARGET_FILE:distributed_packing> 20 1 last)
