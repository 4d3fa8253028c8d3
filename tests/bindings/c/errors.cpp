// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// What the C interface refuses, with which words, and that C is untouched.
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rooftile/version.hpp"
#include "tests/bindings/c/call.hpp"

namespace rooftile::testing {
namespace {

using Catch::Matchers::StartsWith;

/// The arguments of a product (2,3,4) that is right.
struct Arguments {
  int type = ROOFTILE_FP64;
  double one = 1, zero = 0;
  const double *alpha = &one, *beta = &zero;
  std::vector<double> a = std::vector<double>(8, 1), b = std::vector<double>(12, 1),
                      c = std::vector<double>(6, 7);
  double *A = a.data(), *B = b.data(), *C = c.data();
  rooftile_layout la = rooftile_row_major(2, 4, 4), lb = rooftile_row_major(4, 3, 3),
                  lc = rooftile_row_major(2, 3, 3);
};

/// The message of a call that is refused.
template <class Change>
std::string refused(const Change& change) {
  const Handle handle;
  Arguments x;
  change(x);
  CHECK(rooftile_gemm(handle, x.type, x.alpha, x.A, x.la, x.B, x.lb, x.beta, x.C, x.lc) ==
        ROOFTILE_INVALID_VALUE);
  CHECK(x.c == std::vector<double>(6, 7));
  const std::string message = handle.message();
  // The handle goes on, and keeps the message.
  Arguments right;
  CHECK(rooftile_gemm(handle, right.type, right.alpha, right.A, right.la, right.B, right.lb, right.beta,
                      right.C, right.lc) == ROOFTILE_SUCCESS);
  CHECK(right.c == std::vector<double>(6, 4));
  CHECK(handle.message() == message);
  return message;
}

/// Checks that a call was refused, and with which words.
void check_refused(rooftile_status status, const Handle& handle, const std::string& message) {
  CHECK(status == ROOFTILE_INVALID_VALUE);
  CHECK_THAT(handle.message(), StartsWith(message));
}

TEST_CASE("a wrong argument of the C interface is refused by its name", "[c]") {
  CHECK(refused([](Arguments& x) { x.type = 10; }) == "unknown type (10): take one of rooftile_type");
  CHECK(refused([](Arguments& x) { x.type = -1; }) == "unknown type (-1): take one of rooftile_type");
  CHECK(refused([](Arguments& x) { x.alpha = nullptr; }) == "null alpha (type fp64): give its address");
  CHECK(refused([](Arguments& x) { x.beta = nullptr; }) == "null beta (type fp64): give its address");
  CHECK(refused([](Arguments& x) { x.A = nullptr; }) == "null data of A (2 x 4): allocate the matrix first");
  CHECK(refused([](Arguments& x) { x.B = nullptr; }) == "null data of B (4 x 3): allocate the matrix first");
  CHECK(refused([](Arguments& x) { x.C = nullptr; }) == "null data of C (2 x 3): allocate the matrix first");
  CHECK(refused([](Arguments& x) { x.la.cols = 5; }) ==
        "shapes do not conform (A 2 x 5, B 4 x 3, C 2 x 3): C (m,n) needs A (m,k) and B (k,n)");
  CHECK(refused([](Arguments& x) { x.la.rows = x.lc.rows = -2; }) ==
        "negative size of A (-2 x 4): give extents of 0 or more");
  CHECK(
      refused([](Arguments& x) { x.lc.row_stride = 1; }) ==
      "elements of C overlap (2 x 3, strides 1 and 1): give a leading dimension of at least a row or column");
  CHECK_THAT(refused([](Arguments& x) { x.A = x.C; }), StartsWith("C overlaps A ("));
  CHECK_THAT(refused([](Arguments& x) { x.lb.row_stride = std::numeric_limits<int64_t>::max() / 2; }),
             StartsWith("extent times stride overflows for B (4 x "));
}

TEST_CASE("products of mixed types in C are refused in their words", "[c]") {
  const Handle handle;
  const std::int32_t one = 1, zero = 0;
  std::int32_t c[6] = {7, 7, 7, 7, 7, 7};
  const std::int8_t b[12] = {};
  const auto multiply = [&](const void* alpha, const void* A) {
    return rooftile_gemm(handle, ROOFTILE_INT8_INT32, alpha, A, rooftile_row_major(2, 4, 4), b,
                         rooftile_row_major(4, 3, 3), &zero, c, rooftile_row_major(2, 3, 3));
  };
  check_refused(multiply(nullptr, b), handle, "null alpha (type int8 with C of int32): give its address");
  check_refused(multiply(&one, reinterpret_cast<const char*>(c + 6) - 1), handle, "C overlaps A (");
  CHECK(std::vector<std::int32_t>(c, c + 6) == std::vector<std::int32_t>(6, 7));
}

TEST_CASE("a batch in C is refused where one of its matrices cannot be multiplied", "[c]") {
  const Handle handle;
  Arguments x;
  const void *as[] = {x.A, x.A}, *bs[] = {x.B, nullptr};
  void* cs[] = {x.C, x.C};
  const auto batched = [&](const void* const* A, const void* const* B, void* const* C, int64_t count) {
    return rooftile_gemm_batched(handle, x.type, x.alpha, A, x.la, B, x.lb, x.beta, C, x.lc, count);
  };
  check_refused(
      batched(as, bs, cs, 2), handle,
      "null pointer in the batch B (number 1 of 2, counted from 0): give the address of a matrix (4 x 3)");
  check_refused(batched(as, nullptr, cs, 2), handle,
                "null array of pointers (B, 2 matrices): give the addresses of all");
  check_refused(batched(as, bs, cs, -1), handle, "negative number of products (-1): give 0 or more");
  CHECK(batched(nullptr, nullptr, nullptr, 0) == ROOFTILE_SUCCESS);
  check_refused(rooftile_gemm_strided_batched(handle, x.type, x.alpha, x.A, x.la, 0, x.B, x.lb, 0, x.beta,
                                              x.C, x.lc, 0, 2),
                handle, "products overlap (C 2 x 3, strides 3 and 1, one of C every 0 elements)");
  CHECK(x.c == std::vector<double>(6, 7));
}

TEST_CASE("a batch of two dimensions in C is refused where one cannot be", "[c]") {
  const Handle handle;
  Arguments x;
  const auto nested = [&](rooftile_steps c, int64_t outer, int64_t inner) {
    return rooftile_gemm_nested_batched(handle, x.type, x.alpha, x.A, x.la, {0, 0}, x.B, x.lb, {0, 0}, x.beta,
                                        x.C, x.lc, c, outer, inner);
  };
  check_refused(
      nested({6, 6}, 2, 2), handle,
      "products overlap (C 2 x 3, strides 3 and 1, one of C every 6 elements, and after 2 of them every 6): "
      "give a batch stride of at least a matrix");
  for (const auto& [outer, inner] : {std::pair<int64_t, int64_t>(-1, 2), {2, -1}}) {
    check_refused(nested({12, 6}, outer, inner), handle, "negative number of products (-1): give 0 or more");
  }
  const int64_t many = int64_t{1} << 40;
  check_refused(nested({12, 6}, many, many), handle,
                "too many products (1099511627776 x 1099511627776): give fewer in a call");
  CHECK(nested({12, 6}, 0, 3) == ROOFTILE_SUCCESS);
  CHECK(nested({12, 6}, 3, 0) == ROOFTILE_SUCCESS);
  CHECK(x.c == std::vector<double>(6, 7));
}

TEST_CASE("a group in C is refused where one of its products cannot be computed", "[c]") {
  const Handle handle;
  Arguments x;
  const rooftile_product right{x.alpha, x.A, x.la, x.B, x.lb, x.beta, x.C, x.lc};
  rooftile_product products[] = {right, right};
  const auto grouped = [&](const rooftile_product* group, int64_t count) {
    return rooftile_gemm_grouped(handle, x.type, group, count);
  };
  products[1].B = nullptr;
  check_refused(grouped(products, 2), handle,
                "product 1 of 2, counted from 0: null data of B (4 x 3): allocate the matrix first");
  products[1] = right, products[1].alpha = nullptr;
  check_refused(grouped(products, 2), handle,
                "product 1 of 2, counted from 0: null alpha (type fp64): give its address");
  check_refused(grouped(nullptr, 3), handle, "null array of products (3): give their address");
  check_refused(grouped(products, -1), handle, "negative number of products (-1): give 0 or more");
  CHECK(rooftile_gemm_grouped(handle, 10, products, 1) == ROOFTILE_INVALID_VALUE);
  CHECK(x.c == std::vector<double>(6, 7));
  CHECK(grouped(nullptr, 0) == ROOFTILE_SUCCESS);
  CHECK(grouped(products, 1) == ROOFTILE_SUCCESS);
  CHECK(x.c == std::vector<double>(6, 4));
}

TEST_CASE("without a handle nothing is done", "[c]") {
  Arguments x;
  CHECK(rooftile_gemm(nullptr, x.type, x.alpha, x.A, x.la, x.B, x.lb, x.beta, x.C, x.lc) ==
        ROOFTILE_INVALID_VALUE);
  CHECK(rooftile_gemm_grouped(nullptr, x.type, nullptr, 0) == ROOFTILE_INVALID_VALUE);
  CHECK(x.c == std::vector<double>(6, 7));
  CHECK(rooftile_create(nullptr) == ROOFTILE_INVALID_VALUE);
  CHECK(std::string(rooftile_last_message(nullptr)) == "null handle: make one by rooftile_create");
  rooftile_destroy(nullptr);
}

TEST_CASE("each status of the C interface has a text", "[c]") {
  CHECK(std::string(rooftile_status_string(ROOFTILE_SUCCESS)) == "success");
  CHECK(std::string(rooftile_status_string(ROOFTILE_INVALID_VALUE)) == "invalid value");
  CHECK(std::string(rooftile_status_string(ROOFTILE_OUT_OF_MEMORY)) == "out of memory");
  CHECK(std::string(rooftile_status_string(ROOFTILE_INTERNAL_ERROR)) == "internal error");
  CHECK(std::string(rooftile_status_string(ROOFTILE_NO_GPU)) == "no GPU");
  CHECK(std::string(rooftile_status_string(5)) == "no status of rooftile");
}

TEST_CASE("the C interface has the library's version", "[c]") {
  int major = -1, minor = -1, patch = -1;
  rooftile_version(&major, &minor, &patch);
  CHECK(std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch) == version);
  CHECK((major == ROOFTILE_VERSION_MAJOR && minor == ROOFTILE_VERSION_MINOR &&
         patch == ROOFTILE_VERSION_PATCH));
  rooftile_version(nullptr, nullptr, nullptr);
}

}  // namespace
}  // namespace rooftile::testing
