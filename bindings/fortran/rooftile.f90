! SPDX-FileCopyrightText: The Rooftile authors
! SPDX-License-Identifier: Apache-2.0
!
! Rooftile in Fortran 2018, based on the C interface (rooftile.h): C = alpha*op(A)*op(B) + beta*C on the CPU,
! or on a GPU if ROOFTILE_GPU allows it.
!
!   use rooftile
!   type(rooftile_handle) :: handle
!   integer :: status
!   call rooftile_create(handle)
!   call rooftile_gemm(handle, A, B, C, opa='T', beta=1d0, status=status)
!   if (status /= rooftile_success) print *, rooftile_message(handle)
!   call rooftile_destroy(handle)
!
! rooftile_gemm(handle, A, B, C [, alpha, beta, opa, opb, status])
!   A,B,C       real or complex arrays of one kind, c_float or c_double; or arrays of mixed types:
!               A and B of c_float with C of c_double (products and sums are computed in c_double),
!               A and B of c_int8_t with C of c_int32_t (modulo 2**32).
!               Rank 2: op(A) (m,k), op(B) (k,n), C (m,n). Rank 3: a batch with entry i in (:,:,i).
!               Rank 4: a two-dimensional batch with entry (i,j) in (:,:,i,j).
!               For a batch C, A or B may have rank 2; all entries then share it.
!               Array sections are read in place, without a copy. C must not overlap A or B
!   alpha,beta  scalars of C's type, by default 1 and 0; beta 0 overwrites C, even NaN
!   opa,opb     N unchanged (default), T transposed, C conjugate-transposed, R conjugated; or lower case
!   status      rooftile_success, rooftile_invalid_value, rooftile_out_of_memory or
!               rooftile_internal_error. On an error C is untouched; only after rooftile_internal_error it
!               may be incomplete.
!               Without the argument, a failed call prints the message and stops the program
!
! rooftile_add(group, A, B, C [, alpha, beta, opa, opb])      adds a product, of any shape, to a group
! rooftile_gemm(handle, group [, status])                     computes the group, as often as it is called
! rooftile_clear(group)                                       empties a group
!   group       type(rooftile_group), initially empty; all products of a group have one type
!   A,B,C       as above, of rank 2. The group refers to the arrays until it is computed: they need the
!               attribute target, and must not be expressions. No C may overlap another C, or any A or B;
!               this is not checked
!   status      as above. The message names the product, counted from 0, also for errors of rooftile_add.
!               On an error no C is written
!
! Several threads may call at the same time, each with its own handle. Products use OpenMP threads. A call
! inside a parallel region uses only the calling thread. The bits of C do not depend on the number of threads.
module rooftile
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use rooftile_operands
  use rooftile_groups
  implicit none
  private
  public :: rooftile_handle, rooftile_create, rooftile_destroy, rooftile_gemm, rooftile_message
  public :: rooftile_group, rooftile_add, rooftile_clear
  public :: rooftile_success, rooftile_invalid_value, rooftile_out_of_memory, rooftile_internal_error

  integer, parameter :: rooftile_success = 0, rooftile_invalid_value = 1
  integer, parameter :: rooftile_out_of_memory = 2, rooftile_internal_error = 3

  type :: context_t
    type(c_ptr) :: handle = c_null_ptr
    character(511) :: message = ''
  end type

  !> A handle for calls. A copy refers to the original handle.
  type :: rooftile_handle
    private
    type(context_t), pointer :: context => null()
  end type

  interface
    integer(c_int) function c_create(handle) bind(c, name='rooftile_create')
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: handle
    end function
    subroutine c_destroy(handle) bind(c, name='rooftile_destroy')
      import :: c_ptr
      type(c_ptr), value :: handle
    end subroutine
    type(c_ptr) function c_last_message(handle) bind(c, name='rooftile_last_message')
      import :: c_ptr
      type(c_ptr), value :: handle
    end function
    integer(c_int) function c_gemm(handle, element, alpha, a, layout_a, steps_a, b, layout_b, steps_b, beta, c, layout_c, &
                                   steps_c, outer, inner) bind(c, name='rooftile_gemm_nested_batched')
      import :: c_int, c_ptr, c_int64_t, layout_t, steps_t
      type(c_ptr), value :: handle, alpha, a, b, beta, c
      integer(c_int), value :: element
      type(layout_t), value :: layout_a, layout_b, layout_c
      type(steps_t), value :: steps_a, steps_b, steps_c
      integer(c_int64_t), value :: outer, inner
    end function
    integer(c_int) function c_gemm_grouped(handle, element, products, count) bind(c, name='rooftile_gemm_grouped')
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: handle, products
      integer(c_int), value :: element
      integer(c_int64_t), value :: count
    end function
  end interface

  interface rooftile_gemm
    module procedure gemm_fp32, gemm_fp64, gemm_cfp32, gemm_cfp64, gemm_fp32_fp64, gemm_int8_int32, gemm_group
  end interface

contains

  !> Creates a handle.
  subroutine rooftile_create(handle, status)
    type(rooftile_handle), intent(out) :: handle
    integer, intent(out), optional :: status
    integer :: found
    allocate(handle%context, stat=found)
    if (found == 0) found = c_create(handle%context%handle)
    if (found /= 0) call rooftile_destroy(handle)
    call finish(handle, merge(rooftile_success, rooftile_out_of_memory, found == 0), status)
  end subroutine

  !> Destroys a handle. Its copies become invalid.
  subroutine rooftile_destroy(handle)
    type(rooftile_handle), intent(inout) :: handle
    if (.not. associated(handle%context)) return
    call c_destroy(handle%context%handle)
    deallocate(handle%context)
  end subroutine

  !> The message of the handle's last failed call; empty if no call failed.
  function rooftile_message(handle) result(message)
    type(rooftile_handle), intent(in) :: handle
    character(:), allocatable :: message
    if (associated(handle%context)) then
      message = trim(handle%context%message)
    else
      message = 'no handle: create one with rooftile_create'
    end if
  end function

  !> Returns a status, or stops the program on an error if the caller did not ask for the status.
  subroutine finish(handle, found, status)
    type(rooftile_handle), intent(in) :: handle
    integer, intent(in) :: found
    integer, intent(out), optional :: status
    if (present(status)) then
      status = found
    else if (found /= rooftile_success) then
      write(error_unit, '(2a)') 'rooftile: ', rooftile_message(handle)
      error stop 1
    end if
  end subroutine

  !> Checks the arguments and calls the C interface.
  integer function multiply(handle, element, alpha, a, opa, b, opb, beta, c) result(found)
    type(rooftile_handle), intent(in) :: handle
    integer(c_int), intent(in) :: element
    type(c_ptr), intent(in) :: alpha, beta
    type(operand_t), intent(in) :: a, b, c
    character, intent(in) :: opa, opb
    type(operand_t) :: x, y
    found = rooftile_invalid_value
    if (.not. associated(handle%context)) return
    associate (message => handle%context%message)
      if (c%rank < 2 .or. c%rank > 4) then
        write(message, '(a, i0, a)') 'rank of C (', c%rank, '): give a matrix (2), or a batch of them (3, or 4)'
      else if (a%rank /= 2 .and. a%rank /= c%rank) then
        write(message, '(a, i0, a)') 'rank of A (', a%rank, '): give a matrix (2), or with a batch C its rank'
      else if (b%rank /= 2 .and. b%rank /= c%rank) then
        write(message, '(a, i0, a)') 'rank of B (', b%rank, '): give a matrix (2), or with a batch C its rank'
      else if ((a%rank > 2 .and. a%count /= c%count) .or. (b%rank > 2 .and. b%count /= c%count)) then
        write(message, '(3(a, i0), a)') 'numbers of products differ (A ', a%count, ', B ', b%count, ', C ', c%count, &
          '): give as many matrices of each, or one A or B as a matrix'
      else if ((a%rank > 2 .and. a%outer /= c%outer) .or. (b%rank > 2 .and. b%outer /= c%outer)) then
        write(message, '(3(a, i0), a)') 'fourth extents differ (A ', a%outer, ', B ', b%outer, ', C ', c%outer, &
          '): give as many matrices of each, or one A or B as a matrix'
      else if (.not. (is_operation(opa) .and. is_operation(opb))) then
        message = 'unknown operation (opa ' // opa // ', opb ' // opb // '): give N, T, C or R'
      else
        x = apply(opa, a)
        y = apply(opb, b)
        found = c_gemm(handle%context%handle, element, alpha, x%first, x%layout, steps_of(x), y%first, y%layout, &
                       steps_of(y), beta, c%first, c%layout, steps_of(c), c%outer, c%count)
        if (found /= rooftile_success) call copy_message(c_last_message(handle%context%handle), message)
      end if
    end associate
  end function

  !> Computes the products of a group.
  subroutine gemm_group(handle, group, status)
    type(rooftile_handle), intent(in) :: handle
    type(rooftile_group), intent(inout) :: group
    integer, intent(out), optional :: status
    call finish(handle, multiply_group(handle, group), status)
  end subroutine

  integer function multiply_group(handle, group) result(found)
    type(rooftile_handle), intent(in) :: handle
    type(rooftile_group), intent(inout), target :: group
    integer(c_int) :: element
    integer(c_int64_t) :: count
    type(c_ptr) :: first
    character(len(handle%context%message)) :: fault
    found = rooftile_invalid_value
    if (.not. associated(handle%context)) return
    call prepare(group, element, first, count, fault)
    if (fault /= '') then
      handle%context%message = fault
    else
      found = c_gemm_grouped(handle%context%handle, element, first, count)
      if (found /= rooftile_success) call copy_message(c_last_message(handle%context%handle), handle%context%message)
    end if
  end function

  !> Copies a C string.
  subroutine copy_message(text, message)
    type(c_ptr), intent(in) :: text
    character(*), intent(out) :: message
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(text, letters, [len(message)])
    message = ''
    do i = 1, len(message)
      if (letters(i) == c_null_char) return
      message(i:i) = letters(i)
    end do
  end subroutine

  ! One procedure per type, because Fortran has no templates.

  subroutine gemm_fp32(handle, a, b, c, alpha, beta, opa, opb, status)
    integer(c_int), parameter :: element = fp32
    real(c_float), intent(in) :: a(..), b(..)
    real(c_float), intent(inout) :: c(..)
    real(c_float), intent(in), optional :: alpha, beta
    real(c_float), target :: scale, old
    include 'gemm.inc'
  end subroutine

  subroutine gemm_fp64(handle, a, b, c, alpha, beta, opa, opb, status)
    integer(c_int), parameter :: element = fp64
    real(c_double), intent(in) :: a(..), b(..)
    real(c_double), intent(inout) :: c(..)
    real(c_double), intent(in), optional :: alpha, beta
    real(c_double), target :: scale, old
    include 'gemm.inc'
  end subroutine

  subroutine gemm_cfp32(handle, a, b, c, alpha, beta, opa, opb, status)
    integer(c_int), parameter :: element = cfp32
    complex(c_float_complex), intent(in) :: a(..), b(..)
    complex(c_float_complex), intent(inout) :: c(..)
    complex(c_float_complex), intent(in), optional :: alpha, beta
    complex(c_float_complex), target :: scale, old
    include 'gemm.inc'
  end subroutine

  subroutine gemm_cfp64(handle, a, b, c, alpha, beta, opa, opb, status)
    integer(c_int), parameter :: element = cfp64
    complex(c_double_complex), intent(in) :: a(..), b(..)
    complex(c_double_complex), intent(inout) :: c(..)
    complex(c_double_complex), intent(in), optional :: alpha, beta
    complex(c_double_complex), target :: scale, old
    include 'gemm.inc'
  end subroutine

  subroutine gemm_fp32_fp64(handle, a, b, c, alpha, beta, opa, opb, status)
    integer(c_int), parameter :: element = fp32_fp64
    real(c_float), intent(in) :: a(..), b(..)
    real(c_double), intent(inout) :: c(..)
    real(c_double), intent(in), optional :: alpha, beta
    real(c_double), target :: scale, old
    include 'gemm.inc'
  end subroutine

  subroutine gemm_int8_int32(handle, a, b, c, alpha, beta, opa, opb, status)
    integer(c_int), parameter :: element = int8_int32
    integer(c_int8_t), intent(in) :: a(..), b(..)
    integer(c_int32_t), intent(inout) :: c(..)
    integer(c_int32_t), intent(in), optional :: alpha, beta
    integer(c_int32_t), target :: scale, old
    include 'gemm.inc'
  end subroutine

end module
