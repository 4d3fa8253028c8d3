! SPDX-FileCopyrightText: The Rooftile authors
! SPDX-License-Identifier: Apache-2.0
!
! One product in Fortran: an array section times the transpose of a matrix, subtracted from C; then an invalid
! call.
program example
  use, intrinsic :: iso_c_binding, only: c_double
  use rooftile
  implicit none
  type(rooftile_handle) :: handle
  real(c_double) :: field(4, 3), bt(2, 3), c(2, 2)
  integer :: status

  field(2:3, :) = reshape([1, 4, 2, 5, 3, 6], [2, 3])  ! A (2,3) inside a larger array
  bt = reshape([1, 0, 0, 1, 1, 0], [2, 3])             ! the transpose of B (3,2)
  c = 1
  call rooftile_create(handle)
  call rooftile_gemm(handle, field(2:3, :), bt, c, opb='T', beta=-1d0)
  print '(4f6.1)', c
  if (any(c /= reshape([3, 9, 1, 4], [2, 2]))) error stop 'wrong'

  call rooftile_gemm(handle, field(2:3, :), bt, c, status=status)
  print '(i0, 2a)', status, ' ', rooftile_message(handle)
  if (status /= rooftile_invalid_value) error stop 'not refused'
  call rooftile_destroy(handle)
end program
