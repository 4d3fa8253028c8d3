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

foreach(program gpu_products gpu_missing gpu_times)
  add_executable(distributed_${program} ${program}.cpp)
  rooftile_own_target(distributed_${program})
  target_include_directories(distributed_${program} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(distributed_${program} PRIVATE rooftile_distributed_cuda NCCL::nccl)
endforeach()
target_link_options(distributed_gpu_products PRIVATE -Wl,--wrap=cudaMalloc,--wrap=ncclSend)

# rooftile_gpu_mpi_test(NAME RANKS ARGUMENTS…): skipped where there are fewer GPUs than it wants. NCCL is kept from
# NVLink's multicast, which a host that is shared may forbid.
function(rooftile_gpu_mpi_test name ranks)
  rooftile_mpi_test(${name} ${ranks} ${ARGN})
  set_tests_properties(distributed.${name} PROPERTIES
    LABELS "distributed;gpu" SKIP_REGULAR_EXPRESSION "skipped: [0-9]+ GPUs of" RESOURCE_LOCK gpu
    ENVIRONMENT "${rooftile_mpi_environment};NCCL_NVLS_ENABLE=0")
endfunction()
foreach(ranks 1 2 4)  # on one GPU, too
  rooftile_gpu_mpi_test(gpu_staging_${ranks} ${ranks} $<TARGET_FILE:distributed_gpu_products> staging 20)
endforeach()
foreach(ranks 2 4)
  rooftile_gpu_mpi_test(gpu_nccl_${ranks} ${ranks} $<TARGET_FILE:distributed_gpu_products> nccl 20)
endforeach()
rooftile_gpu_mpi_test(gpu_refused 2 $<TARGET_FILE:distributed_gpu_products> refused 0)
foreach(fault step rank outside explain)
  rooftile_gpu_mpi_test(gpu_catches_${fault} 2 $<TARGET_FILE:distributed_gpu_products> staging 2 1 ${fault})
endforeach()
foreach(engine staging nccl)
  rooftile_gpu_mpi_test(gpu_missing_${engine} 2 --enable-recovery $<TARGET_FILE:distributed_gpu_missing> ${engine})
  set_tests_properties(distributed.gpu_missing_${engine} PROPERTIES PASS_REGULAR_EXPRESSION "rank 1 is right")
endforeach()
