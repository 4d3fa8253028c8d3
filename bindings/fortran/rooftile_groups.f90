! SPDX-FileCopyrightText: The Rooftile authors
! SPDX-License-Identifier: Apache-2.0
!
! Groups of products of different shapes, computed by one call, for the module rooftile.
module rooftile_groups
  use, intrinsic :: iso_c_binding
  use rooftile_operands
  implicit none
  private
  public :: rooftile_group, rooftile_add, rooftile_clear, prepare

  !> rooftile_product of rooftile.h.
  type, bind(c) :: product_t
    type(c_ptr) :: alpha = c_null_ptr, a = c_null_ptr
    type(layout_t) :: layout_a
    type(c_ptr) :: b = c_null_ptr
    type(layout_t) :: layout_b
    type(c_ptr) :: beta = c_null_ptr, c = c_null_ptr
    type(layout_t) :: layout_c
  end type

  integer, parameter :: scalar_bytes = 16  ! size of the largest type

  !> Products of one type.
  type :: rooftile_group
    private
    integer(c_int) :: element = fp32
    integer(c_int64_t) :: count = 0
    type(product_t), allocatable :: products(:)
    integer(c_int8_t), allocatable :: scalars(:, :)  !< for each product alpha, then beta
    character(127) :: fault = ''                     !< of the first invalid product
  end type

  interface rooftile_add
    module procedure add_fp32, add_fp64, add_cfp32, add_cfp64, add_fp32_fp64, add_int8_int32
  end interface

contains

  !> Empties a group.
  subroutine rooftile_clear(group)
    type(rooftile_group), intent(out) :: group
    group%count = 0
  end subroutine

  !> Returns the arguments of the C interface for a group, valid while the group is unchanged.
  !> @param fault  why the group cannot be computed; empty if it can
  subroutine prepare(group, element, first, count, fault)
    type(rooftile_group), intent(inout), target :: group
    integer(c_int), intent(out) :: element
    type(c_ptr), intent(out) :: first
    integer(c_int64_t), intent(out) :: count
    character(*), intent(out) :: fault
    integer(c_int64_t) :: i
    element = group%element
    first = c_null_ptr
    count = group%count
    fault = group%fault
    if (count == 0) return
    do i = 1, count
      group%products(i)%alpha = c_loc(group%scalars(1, i))
      group%products(i)%beta = c_loc(group%scalars(scalar_bytes + 1, i))
    end do
    first = c_loc(group%products)
  end subroutine

  subroutine append(group, element, alpha, beta, bytes, a, opa, b, opb, c)
    type(rooftile_group), intent(inout) :: group
    integer(c_int), intent(in) :: element
    type(c_ptr), intent(in) :: alpha, beta
    integer, intent(in) :: bytes
    type(operand_t), intent(in) :: a, b, c
    character, intent(in) :: opa, opb
    type(operand_t) :: x, y
    character(len(group%fault)) :: ranks
    if (group%fault /= '') return
    if (any([a%rank, b%rank, c%rank] /= 2)) then
      write(ranks, '(3(a, i0), a)') 'ranks (A ', a%rank, ', B ', b%rank, ', C ', c%rank, '): give matrices (2)'
      call refuse(group, ranks)
    else if (.not. (is_operation(opa) .and. is_operation(opb))) then
      call refuse(group, 'unknown operation (opa ' // opa // ', opb ' // opb // '): give N, T, C or R')
    else if (group%count > 0 .and. element /= group%element) then
      call refuse(group, 'another type than those before: give each type a group of its own')
    else if (.not. has_room(group)) then
      call refuse(group, 'too little memory for the group: free some')
    else
      x = apply(opa, a)
      y = apply(opb, b)
      group%element = element
      group%count = group%count + 1
      group%products(group%count) = product_t(a=x%first, layout_a=x%layout, b=y%first, layout_b=y%layout, c=c%first, &
                                              layout_c=c%layout)
      call copy_bytes(alpha, bytes, group%scalars(:scalar_bytes, group%count))
      call copy_bytes(beta, bytes, group%scalars(scalar_bytes + 1:, group%count))
    end if
  end subroutine

  !> Records why the next product is invalid.
  subroutine refuse(group, reason)
    type(rooftile_group), intent(inout) :: group
    character(*), intent(in) :: reason
    write(group%fault, '(a, i0, 2a)') 'product ', group%count, ', counted from 0: ', trim(reason)
  end subroutine

  !> Makes room for one more product. Returns whether that succeeded.
  logical function has_room(group)
    type(rooftile_group), intent(inout) :: group
    type(product_t), allocatable :: products(:)
    integer(c_int8_t), allocatable :: scalars(:, :)
    integer :: failed
    has_room = .true.
    if (allocated(group%products)) then
      if (group%count < size(group%products, kind=c_int64_t)) return
    end if
    allocate(products(2 * group%count + 8), scalars(2 * scalar_bytes, 2 * group%count + 8), stat=failed)
    has_room = failed == 0
    if (.not. has_room) return
    if (group%count > 0) then
      products(:group%count) = group%products
      scalars(:, :group%count) = group%scalars
    end if
    call move_alloc(products, group%products)
    call move_alloc(scalars, group%scalars)
  end function

  subroutine copy_bytes(from, bytes, to)
    type(c_ptr), intent(in) :: from
    integer, intent(in) :: bytes
    integer(c_int8_t), intent(inout) :: to(:)
    integer(c_int8_t), pointer :: x(:)
    call c_f_pointer(from, x, [bytes])
    to(:bytes) = x
  end subroutine

  ! One procedure per type, because Fortran has no templates.

  subroutine add_fp32(group, a, b, c, alpha, beta, opa, opb)
    integer(c_int), parameter :: element = fp32
    real(c_float), intent(in), target :: a(..), b(..)
    real(c_float), intent(inout), target :: c(..)
    real(c_float), intent(in), optional :: alpha, beta
    real(c_float), target :: scale, old
    include 'add.inc'
  end subroutine

  subroutine add_fp64(group, a, b, c, alpha, beta, opa, opb)
    integer(c_int), parameter :: element = fp64
    real(c_double), intent(in), target :: a(..), b(..)
    real(c_double), intent(inout), target :: c(..)
    real(c_double), intent(in), optional :: alpha, beta
    real(c_double), target :: scale, old
    include 'add.inc'
  end subroutine

  subroutine add_cfp32(group, a, b, c, alpha, beta, opa, opb)
    integer(c_int), parameter :: element = cfp32
    complex(c_float_complex), intent(in), target :: a(..), b(..)
    complex(c_float_complex), intent(inout), target :: c(..)
    complex(c_float_complex), intent(in), optional :: alpha, beta
    complex(c_float_complex), target :: scale, old
    include 'add.inc'
  end subroutine

  subroutine add_cfp64(group, a, b, c, alpha, beta, opa, opb)
    integer(c_int), parameter :: element = cfp64
    complex(c_double_complex), intent(in), target :: a(..), b(..)
    complex(c_double_complex), intent(inout), target :: c(..)
    complex(c_double_complex), intent(in), optional :: alpha, beta
    complex(c_double_complex), target :: scale, old
    include 'add.inc'
  end subroutine

  subroutine add_fp32_fp64(group, a, b, c, alpha, beta, opa, opb)
    integer(c_int), parameter :: element = fp32_fp64
    real(c_float), intent(in), target :: a(..), b(..)
    real(c_double), intent(inout), target :: c(..)
    real(c_double), intent(in), optional :: alpha, beta
    real(c_double), target :: scale, old
    include 'add.inc'
  end subroutine

  subroutine add_int8_int32(group, a, b, c, alpha, beta, opa, opb)
    integer(c_int), parameter :: element = int8_int32
    integer(c_int8_t), intent(in), target :: a(..), b(..)
    integer(c_int32_t), intent(inout), target :: c(..)
    integer(c_int32_t), intent(in), optional :: alpha, beta
    integer(c_int32_t), target :: scale, old
    include 'add.inc'
  end subroutine

end module
