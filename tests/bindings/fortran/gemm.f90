! SPDX-FileCopyrightText: The Rooftile authors
! SPDX-License-Identifier: Apache-2.0
!
! Tests the module `rooftile` against matmul with integers, whose sums are exact. The argument `stopped` makes a call
! that is refused and has no status argument.
program test_gemm
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic, only: ieee_quiet_nan, ieee_value
  use rooftile
  implicit none
  type(rooftile_handle) :: handle
  integer :: wrong = 0
  character(7) :: what

  call rooftile_create(handle)
  call get_command_argument(1, what)
  if (what == 'stopped') call refused_without_status
  call check_types
  call check_fp32_fp64
  call check_int8_int32
  call check_operations
  call check_sections
  call check_batches
  call check_two_dimensions
  call check_groups
  call check_group_errors
  call check_empty
  call check_errors
  call check_shared
  call rooftile_destroy(handle)
  call rooftile_destroy(handle)  ! a null handle: does nothing
  if (wrong > 0) error stop 'wrong'
  print '(a)', 'all right'

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    wrong = wrong + 1
    print '(2a)', 'wrong: ', what
  end subroutine

  !> Small integers that differ from their neighbours.
  elemental integer function value(i, j)
    integer, intent(in) :: i, j
    value = mod(3 * i + 5 * j, 7) - 3
  end function

  function matrix(rows, cols, first) result(x)
    integer, intent(in) :: rows, cols, first
    complex(c_double_complex) :: x(rows, cols)
    integer :: i, j
    do j = 1, cols
      do i = 1, rows
        x(i, j) = cmplx(value(i + first, j), value(j, i + 2 * first), c_double_complex)
      end do
    end do
  end function

  subroutine check_types
    complex(c_double_complex) :: a(30, 40), b(40, 20), c(30, 20)
    real(c_float) :: c_fp32(30, 20)
    real(c_double) :: c_fp64(30, 20)
    complex(c_float_complex) :: c_cfp32(30, 20)
    complex(c_double_complex) :: c_cfp64(30, 20)
    a = matrix(30, 40, 1)
    b = matrix(40, 20, 2)
    c = matrix(30, 20, 3)
    c_fp32 = real(c, c_float)
    c_fp64 = real(c, c_double)
    c_cfp32 = cmplx(c, kind=c_float_complex)
    c_cfp64 = c
    call rooftile_gemm(handle, real(a, c_float), real(b, c_float), c_fp32, 2._c_float, -1._c_float)
    call rooftile_gemm(handle, real(a, c_double), real(b, c_double), c_fp64, 2._c_double, -1._c_double)
    call check(all(c_fp64 == 2 * matmul(real(a), real(b)) - real(c)), 'fp64')
    call check(all(c_fp32 == c_fp64), 'fp32')
    call rooftile_gemm(handle, cmplx(a, kind=c_float_complex), cmplx(b, kind=c_float_complex), c_cfp32, &
                       (0._c_float, 2._c_float), (-1._c_float, 1._c_float))
    call rooftile_gemm(handle, a, b, c_cfp64, (0._c_double, 2._c_double), (-1._c_double, 1._c_double))
    call check(all(c_cfp64 == (0, 2) * matmul(a, b) + (-1, 1) * c), 'cfp64')
    call check(all(c_cfp32 == c_cfp64), 'cfp32')
  end subroutine

  !> Sums that exceed c_float's precision, of array sections, of a batch that shares A, and with K = 0.
  subroutine check_fp32_fp64
    real(c_float) :: a(30, 40), b(40, 21, 3)
    real(c_double) :: c(21, 30, 3), expected(21, 30, 3)
    integer :: i
    a = real(matrix(30, 40, 1), c_float) + 4097
    do i = 1, 3
      b(:, :, i) = real(matrix(40, 21, i), c_float) - 8191
      expected(:, :, i) = 2 * matmul(transpose(real(b(:, :, i), c_double)), transpose(real(a, c_double))) - 0.5d0 * i
      c(:, :, i) = i
    end do
    call rooftile_gemm(handle, b, a, c, 2d0, -0.5d0, 'T', 'T')
    call check(all(c == expected), 'fp32_fp64, batch')
    call check(any(real(c, c_float) /= c), 'fp32_fp64, sums that c_float does not hold')
    call rooftile_gemm(handle, b(40:2:-3, :, 2), a(::2, 13:1:-1), c(:, 30:2:-2, 1), 1d0, 0d0, 'T', 'T')
    expected(:, 30:2:-2, 1) = matmul(transpose(real(b(40:2:-3, :, 2), c_double)), &
                                     transpose(real(a(::2, 13:1:-1), c_double)))
    call check(all(c == expected), 'fp32_fp64, sections')
    call rooftile_gemm(handle, a(:, 1:0), b(1:0, :, 1), c(1:1, 1:1, 1), status=i)
    call check(i == rooftile_invalid_value, 'fp32_fp64, C too small')
    call check(all(c == expected), 'fp32_fp64, C untouched')
  end subroutine

  !> The whole range of c_int8_t, and sums beyond c_int32_t, which wrap around.
  subroutine check_int8_int32
    integer(c_int8_t) :: a(30, 70), b(20, 70)
    integer(c_int32_t) :: c(40, 20), expected(40, 20)
    integer(c_int64_t) :: sums(30, 20)
    integer :: i, j
    a = reshape([((int(modulo(37 * i + 91 * j, 256) - 128, c_int8_t), i = 1, 30), j = 1, 70)], [30, 70])
    b = reshape([((int(modulo(59 * i + 11 * j, 256) - 128, c_int8_t), i = 1, 20), j = 1, 70)], [20, 70])
    sums = matmul(int(a, c_int64_t), transpose(int(b, c_int64_t)))
    c = -9
    call rooftile_gemm(handle, a, b, c(31:2:-1, :), opb='T')
    expected = -9
    expected(31:2:-1, :) = int(sums, c_int32_t)
    call check(all(c == expected), 'int8_int32')
    call rooftile_gemm(handle, a, b, c(31:2:-1, :), 1000003_c_int32_t, 3_c_int32_t, opb='T')
    sums = 1000003 * sums + 3 * sums
    call check(any(abs(sums) > huge(0_c_int32_t)), 'int8_int32, sums beyond c_int32_t')
    sums = modulo(sums + 2_c_int64_t**31, 2_c_int64_t**32) - 2_c_int64_t**31
    expected(31:2:-1, :) = int(sums, c_int32_t)
    call check(all(c == expected), 'int8_int32 modulo 2**32')
  end subroutine

  !> op(X) by Fortran's intrinsics.
  function applied(op, x) result(y)
    character, intent(in) :: op
    complex(c_double_complex), intent(in) :: x(:, :)
    complex(c_double_complex), allocatable :: y(:, :)
    y = x
    if (scan(op, 'TtCc') == 1) y = transpose(x)
    if (scan(op, 'CcRr') == 1) y = conjg(y)
  end function

  subroutine check_operations
    character(*), parameter :: letters = 'NTCRntcr'
    complex(c_double_complex) :: a(12, 12), b(12, 12), c(12, 12)
    integer :: i, j
    a = matrix(12, 12, 1)
    b = matrix(12, 12, 2)
    do i = 1, len(letters)
      do j = 1, len(letters)
        call rooftile_gemm(handle, a, b, c, opa=letters(i:i), opb=letters(j:j))
        call check(all(c == matmul(applied(letters(i:i), a), applied(letters(j:j), b))), letters(i:i) // letters(j:j))
        call rooftile_gemm(handle, real(a), real(b), c%re, opa=letters(i:i), opb=letters(j:j))
        call check(all(c%re == matmul(applied(letters(i:i), real(a) * (1d0, 0d0)), &
                                      applied(letters(j:j), real(b) * (1d0, 0d0)))), 'real ' // letters(i:i) // letters(j:j))
      end do
    end do
  end subroutine

  !> Sections of larger arrays, from either end. The elements in between must not change.
  subroutine check_sections
    real(c_double) :: a(40, 30), b(20, 60), c(50, 50), expected(50, 50)
    a = real(matrix(40, 30, 1))
    b = real(matrix(20, 60, 2))
    c = real(matrix(50, 50, 3))
    expected = c
    expected(7:46:3, 4:40:4) = matmul(a(39:13:-2, 5:20), b(3:18, 60:24:-4)) + c(7:46:3, 4:40:4)
    call rooftile_gemm(handle, a(39:13:-2, 5:20), b(3:18, 60:24:-4), c(7:46:3, 4:40:4), beta=1d0)
    call check(all(c == expected), 'sections')
  end subroutine

  subroutine check_batches
    real(c_double) :: a(5, 8, 6), b(7, 8, 6), c(5, 7, 6)
    integer :: i
    do i = 1, 6
      a(:, :, i) = real(matrix(5, 8, i))
      b(:, :, i) = real(matrix(7, 8, 2 * i))
    end do
    call rooftile_gemm(handle, a(:, :, 6:2:-2), b(:, :, 1:3), c(:, :, 2:6:2), opb='T')
    do i = 1, 3
      call check(all(c(:, :, 2 * i) == matmul(a(:, :, 8 - 2 * i), transpose(b(:, :, i)))), 'batch')
    end do
    call rooftile_gemm(handle, a(:, :, 1), b, c, opb='T')
    call check(all([(c(:, :, i) == matmul(a(:, :, 1), transpose(b(:, :, i))), i = 1, 6)]), 'shared A')
    call rooftile_gemm(handle, a, b(:, :, 2), c, opb='T')
    call check(all([(c(:, :, i) == matmul(a(:, :, i), transpose(b(:, :, 2))), i = 1, 6)]), 'shared B')
  end subroutine

  !> Two-dimensional batches, and sections of them from either end. The elements in between must not change.
  subroutine check_two_dimensions
    real(c_double) :: a(5, 8, 6, 4), b(8, 7, 3, 8), c(5, 7, 5, 4), expected(5, 7, 5, 4)
    integer :: i, j
    do j = 1, 8
      do i = 1, 6
        if (j <= 4) a(:, :, i, j) = real(matrix(5, 8, i + 7 * j))
        if (i <= 3) b(:, :, i, j) = real(matrix(8, 7, 3 * i + j))
      end do
    end do
    c = -1
    expected = -1
    do j = 1, 4
      do i = 1, 3
        expected(:, 7:1:-1, 2 * i - 1, 5 - j) = matmul(a(:, :, 8 - 2 * i, j), b(:, :, i, 10 - 2 * j))
      end do
    end do
    call rooftile_gemm(handle, a(:, :, 6:2:-2, :), b(:, :, :, 8:2:-2), c(:, 7:1:-1, ::2, 4:1:-1))
    call check(all(c == expected), 'two dimensions')
    do j = 1, 4
      do i = 1, 5
        expected(:, :, i, j) = expected(:, :, i, j) + matmul(a(:, :, i, j), b(:, :, 2, 3))
      end do
    end do
    call rooftile_gemm(handle, a(:, :, :5, :), b(:, :, 2, 3), c, beta=1d0)
    call check(all(c == expected), 'two dimensions, shared B')
  end subroutine

  !> Many products, each with its own shape, operations, sections and scalars, computed twice. A few of each type.
  subroutine check_groups
    integer, parameter :: products = 40
    character(*), parameter :: letters = 'NTCR'
    type :: product_t
      complex(c_double_complex), allocatable :: a(:, :), b(:, :), c(:, :), expected(:, :)
    end type
    type(product_t), target :: x(products)
    type(rooftile_group) :: group
    complex(c_double_complex) :: alpha, beta
    character :: opa, opb
    integer :: i, m, n, k
    do i = 1, products
      m = mod(7 * i, 90)
      n = mod(11 * i, 50) + 1
      k = mod(13 * i, 70)
      opa = letters(mod(i, 4) + 1:mod(i, 4) + 1)
      opb = letters(mod(i / 4, 4) + 1:mod(i / 4, 4) + 1)
      alpha = cmplx(mod(i, 3), 1, c_double_complex)
      beta = merge((0d0, 0d0), cmplx(1, mod(i, 2), c_double_complex), mod(i, 5) == 0)
      x(i)%a = matrix(merge(m, k, opa == 'N' .or. opa == 'R'), merge(k, m, opa == 'N' .or. opa == 'R'), i)
      x(i)%b = matrix(merge(k, n, opb == 'N' .or. opb == 'R'), 2 * merge(n, k, opb == 'N' .or. opb == 'R'), i + 1)
      x(i)%c = matrix(m + 1, n, i + 2)
      x(i)%expected = x(i)%c
      associate (c => x(i)%expected(m + 1:2:-1, :))
        c = alpha * matmul(applied(opa, x(i)%a), applied(opb, x(i)%b(:, ::2))) + beta * c
        if (mod(i, 5) == 0) x(i)%c(2:, :) = ieee_value(0d0, ieee_quiet_nan)
      end associate
      call rooftile_add(group, x(i)%a, x(i)%b(:, ::2), x(i)%c(m + 1:2:-1, :), alpha, beta, opa, opb)
    end do
    call rooftile_gemm(handle, group)
    do i = 1, products
      call check(all(x(i)%c == x(i)%expected), 'group')
    end do
    call rooftile_clear(group)
    call rooftile_gemm(handle, group)
    call rooftile_add(group, x(1)%a, x(1)%a, x(2)%c, opa='C')
    do i = 2, 3
      call rooftile_gemm(handle, group, status=m)
      call check(m == rooftile_invalid_value, 'group again')
      call check(index(rooftile_message(handle), 'product 0 of 1, counted from 0: shapes') == 1, 'group again, told')
    end do
  end subroutine

  subroutine check_group_errors
    real(c_float), target :: a(3, 3) = 1, b(3, 3, 2) = 1
    real(c_double), target :: wide(3, 3) = 7
    real(c_float), target :: c(3, 3) = 7
    type(rooftile_group) :: group
    integer :: status
    call rooftile_add(group, a, a, c)
    call rooftile_add(group, a, a, wide)
    call rooftile_gemm(handle, group, status)
    call check(status == rooftile_invalid_value, 'group of two types')
    call check(index(rooftile_message(handle), 'product 1, counted from 0: another type') == 1, 'two types, told')
    call rooftile_clear(group)
    call rooftile_add(group, a, b, c)
    call rooftile_add(group, a, a, c, opa='x')  ! the first error is reported
    call rooftile_gemm(handle, group, status)
    call check(index(rooftile_message(handle), 'product 0, counted from 0: ranks (A 2, B 3, C 2)') == 1, 'rank in a group, told')
    call rooftile_clear(group)
    call rooftile_add(group, a, a, c, opb='x')
    call rooftile_gemm(handle, group, status)
    call check(index(rooftile_message(handle), 'product 0, counted from 0: unknown operation') == 1, 'operation, told')
    call check(all(c == 7) .and. all(wide == 7), 'group, C untouched')
    call rooftile_clear(group)
    call rooftile_add(group, a, a, wide, 2d0, 1d0)
    call rooftile_gemm(handle, group, status)
    call check(status == rooftile_success .and. all(wide == 13), 'group of mixed types')
  end subroutine

  subroutine check_empty
    real(c_double) :: a(3, 0), b(0, 4), c(3, 4), none(0, 4), batch(3, 4, 0), as(3, 2, 0), bs(2, 4, 0), columns(4, 0)
    c = 3
    call rooftile_gemm(handle, a, b, c, beta=2d0)
    call check(all(c == 6), 'no K')
    call rooftile_gemm(handle, b, columns, none(:, 1:0))
    call rooftile_gemm(handle, columns(1:3, :), b, c, alpha=2d0)
    call check(all(c == 0), 'no K, beta 0')
    call rooftile_gemm(handle, as, bs, batch)
  end subroutine

  !> Each refused call and its message.
  subroutine check_errors
    type(rooftile_handle) :: nobody
    real(c_double) :: a(2, 3), b(3, 2), c(2, 2), as(2, 3, 4), cs(2, 2, 3), vector(2), fours(2, 2, 4, 3), squares(2, 2, 4, 3)
    integer :: status
    a = 1
    b = 1
    c = 7
    as = 1
    cs = 7
    vector = 7
    fours = 1
    squares = 7
    call rooftile_gemm(handle, a, a, c, status=status)
    call refused(status, 'shapes do not conform (A 2 x 3, B 2 x 3, C 2 x 2): C (m,n) needs A (m,k) and B (k,n)')
    call rooftile_gemm(handle, a, b, c, opa='X', status=status)
    call refused(status, 'unknown operation (opa X, opb N): give N, T, C or R')
    call rooftile_gemm(handle, vector, b, c, status=status)
    call refused(status, 'rank of A (1): give a matrix (2), or with a batch C its rank')
    call rooftile_gemm(handle, a, as, c, status=status)
    call refused(status, 'rank of B (3): give a matrix (2), or with a batch C its rank')
    call rooftile_gemm(handle, a, b, vector, status=status)
    call refused(status, 'rank of C (1): give a matrix (2), or a batch of them (3, or 4)')
    call rooftile_gemm(handle, as, b, cs, status=status)
    call refused(status, 'numbers of products differ (A 4, B 1, C 3): give as many matrices of each, or one A or B as a '&
      // 'matrix')
    call rooftile_gemm(handle, fours, fours(:, :, :, :2), squares, status=status)
    call refused(status, 'fourth extents differ (A 3, B 2, C 3): give as many matrices of each, or one A or B as a matrix')
    call rooftile_gemm(handle, fours, as, squares, status=status)
    call refused(status, 'rank of B (3): give a matrix (2), or with a batch C its rank')
    call rooftile_gemm(nobody, a, b, c, status=status)
    call check(status == rooftile_invalid_value, 'no handle')
    call check(rooftile_message(nobody) == 'no handle: create one with rooftile_create', 'message without a handle')
    call check(all(c == 7) .and. all(cs == 7) .and. all(vector == 7) .and. all(squares == 7), 'C untouched')
  end subroutine

  !> Makes a refused call without a status, which ends the program.
  subroutine refused_without_status
    real(c_double) :: a(2, 3), c(2, 2)
    a = 1
    c = 1
    call rooftile_gemm(handle, a, a, c)
  end subroutine

  subroutine refused(status, message)
    integer, intent(in) :: status
    character(*), intent(in) :: message
    call check(status == rooftile_invalid_value, message)
    call check(rooftile_message(handle) == message, rooftile_message(handle) // ' is not ' // message)
  end subroutine

  !> Sizes large enough for several threads.
  subroutine check_shared
    real(c_double), allocatable :: a(:, :), b(:, :), c(:, :), expected(:, :)
    allocate(a(300, 310), b(310, 320), c(300, 320), expected(300, 320))
    a = real(matrix(300, 310, 1))
    b = real(matrix(310, 320, 2))
    expected = matmul(a, b)
    call rooftile_gemm(handle, a, b, c)
    call check(all(c == expected), 'shared by threads')
  end subroutine
end program
