! SPDX-FileCopyrightText: The Rooftile authors
! SPDX-License-Identifier: Apache-2.0
program stopped
  use, intrinsic :: iso_c_binding, only: c_double
  use rooftile
  implicit none
  type(rooftile_handle) :: handle
  real(c_double) :: a(2, 3) = 1, b(2, 3) = 1, c(2, 2) = 1
  call rooftile_create(handle)
  call rooftile_gemm(handle, a, b, c)
  print *, 'not refused'
end program
