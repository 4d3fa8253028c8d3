! SPDX-FileCopyrightText: The Rooftile authors
! SPDX-License-Identifier: Apache-2.0
!
! Conversion of the arrays of the module rooftile to arguments of the C interface.
module rooftile_operands
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: layout_t, steps_t, operand_t, operand, apply, steps_of, is_operation
  public :: fp32, fp64, cfp32, cfp64, fp32_fp64, int8_int32

  !> rooftile_type of rooftile.h.
  integer(c_int), parameter :: fp32 = 0, fp64 = 1, cfp32 = 4, cfp64 = 5, fp32_fp64 = 8, int8_int32 = 9

  !> rooftile_layout of rooftile.h.
  type, bind(c) :: layout_t
    integer(c_int64_t) :: rows = 0, cols = 0, row_stride = 0, col_stride = 0, conjugated = 0
  end type

  !> rooftile_steps of rooftile.h.
  type, bind(c) :: steps_t
    integer(c_int64_t) :: outer = 0, inner = 0
  end type

  !> A, B or C: address, layout and number of its matrices, and their strides in elements. `stride` and
  !> `count`
  !> belong to the third dimension of the array, `outer_stride` and `outer` to the fourth.
  type :: operand_t
    type(c_ptr) :: first = c_null_ptr
    type(layout_t) :: layout
    integer(c_int64_t) :: stride = 0, count = 0, outer_stride = 0, outer = 1
    integer :: rank = 0
  end type

  interface operand
    module procedure operand_fp32, operand_fp64, operand_cfp32, operand_cfp64, operand_int8, operand_int32
  end interface

contains

  pure logical function is_operation(op)
    character, intent(in) :: op
    is_operation = scan(op, 'NnTtCcRr') == 1
  end function

  !> op(X).
  pure function apply(op, x) result(y)
    character, intent(in) :: op
    type(operand_t), intent(in) :: x
    type(operand_t) :: y
    y = x
    if (scan(op, 'TtCc') == 1) y%layout = layout_t(x%layout%cols, x%layout%rows, x%layout%col_stride, x%layout%row_stride)
    if (scan(op, 'CcRr') == 1) y%layout%conjugated = 1
  end function

  pure type(steps_t) function steps_of(x)
    type(operand_t), intent(in) :: x
    steps_of = steps_t(x%outer_stride, x%stride)
  end function

  pure integer(c_int64_t) function elements_between(from, to, bytes)
    type(c_ptr), intent(in) :: from, to
    integer, intent(in) :: bytes
    elements_between = (transfer(to, 0_c_intptr_t) - transfer(from, 0_c_intptr_t)) / bytes
  end function

  !> An operand with the extents of an array. The operand of an empty array has no address.
  pure function extents_of(extents) result(x)
    integer(c_int64_t), intent(in) :: extents(:)
    type(operand_t) :: x
    x%rank = size(extents)
    x%layout%rows = extents(1)
    x%layout%cols = extents(2)
    x%count = 1
    if (x%rank >= 3) x%count = extents(3)
    if (x%rank == 4) x%outer = extents(4)
  end function

  !> Sets address and strides of an operand.
  !> @param at  addresses of the first element, and of the next element along each dimension
  pure subroutine locate(x, at, bytes)
    type(operand_t), intent(inout) :: x
    type(c_ptr), intent(in) :: at(:)
    integer, intent(in) :: bytes
    x%first = at(1)
    x%layout%row_stride = elements_between(at(1), at(2), bytes)
    x%layout%col_stride = elements_between(at(1), at(3), bytes)
    if (x%rank >= 3) x%stride = elements_between(at(1), at(4), bytes)
    if (x%rank == 4) x%outer_stride = elements_between(at(1), at(5), bytes)
  end subroutine

  ! One procedure per type, because Fortran has no templates.

  function operand_fp32(x) result(found)
    real(c_float), intent(in), target :: x(..)
    include 'operand.inc'
  end function

  function operand_fp64(x) result(found)
    real(c_double), intent(in), target :: x(..)
    include 'operand.inc'
  end function

  function operand_cfp32(x) result(found)
    complex(c_float_complex), intent(in), target :: x(..)
    include 'operand.inc'
  end function

  function operand_cfp64(x) result(found)
    complex(c_double_complex), intent(in), target :: x(..)
    include 'operand.inc'
  end function

  function operand_int8(x) result(found)
    integer(c_int8_t), intent(in), target :: x(..)
    include 'operand.inc'
  end function

  function operand_int32(x) result(found)
    integer(c_int32_t), intent(in), target :: x(..)
    include 'operand.inc'
  end function

end module
