! SPDX-FileCopyrightText: The Rooftile authors
! SPDX-License-Identifier: Apache-2.0
! The Fortran blocks of the documents, with the names that they may use.
module docs_names
  use, intrinsic :: iso_c_binding, only: c_double
  implicit none
  real(c_double), target :: A(10, 30), B(10, 20), C(30, 20), field(30, 10)
  real(c_double), target :: As(30, 10, 6), Cs(30, 20, 6), A4(30, 10, 3, 2), C4(30, 20, 3, 2)
  integer :: status
end module

include 'fortran.inc'
