// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Products by the C interface, compared with the reference, and refusals that leave C unchanged.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "numerics/reference.hpp"
#include "rooftile/version.hpp"
#include "tests/bindings/c/call.hpp"
#include "tests/support/random_values.hpp"

namespace rooftile::testing {
namespace {

/// A batch's memory, including the gaps between its elements.
template <class T>
struct Operand {
  std::vector<T> elements;
  MatrixRef<T> first;
  Index stride;

  MatrixRef<T> at(Index i) { return first.at(first.data + i * stride); }
};

/// The number of batch entries, and of those in the inner of two dimensions.
struct Entries {
  Index count, inner;
};

/// How the C interface gets the entries of a random product.
enum class By { one, strides, nested, pointers, group };

/// Draws products, computes them by the library, and compares.
template <class T>
class Products {
 public:
  explicit Products(std::uint64_t seed) : seed_(seed), generator_(seed) {}

  void check(By by, const GemmShape& shape) {
    const Index inner = by == By::nested ? draw(1, 3) : 0;
    const Index count = by == By::one ? 1 : by == By::nested ? inner * draw(0, 3) : draw(0, 4);
    const auto& [m, n, k] = shape;
    Operand<In<T>> a = operand<In<T>>(m, k, count), b = operand<In<T>>(k, n, count);
    Operand<Out<T>> c = operand<Out<T>>(m, n, count);
    const Scalar<T> scalars[] = {Scalar<T>(0), Scalar<T>(1), Scalar<T>(-2), random<Scalar<T>>(1, seed_)[0]};
    const Scalar<T> alpha = scalars[draw(0, 3)], beta = scalars[draw(0, 3)];
    if (draw(0, 1) == 0) a.first = a.first.conjugated();
    if (draw(0, 1) == 0) b.first = b.first.conjugated();
    INFO(to_string(shape) << " x " << count << " by " << static_cast<int>(by) << " alpha " << alpha
                          << " beta " << beta << " seed " << seed_);
    if (beta == Scalar<T>(0)) each(c, count, std::numeric_limits<Out<T>>::quiet_NaN());
    Operand<Out<T>> before = c;
    before.first = c.first.at(before.elements.data() + (c.first.data - c.elements.data()));

    const Handle handle;
    REQUIRE(multiply(handle, by, alpha, a, b, beta, c, {count, inner}) == ROOFTILE_SUCCESS);
    CHECK(handle.message().empty());
    for (Index i = 0; i < count; ++i) {
      const Reference<T> expected(GemmArgs<T>{alpha, a.at(i), b.at(i), beta, before.at(i)});
      CHECK((is_exact ? expected.compare_exact(c.at(i)) : expected.compare(c.at(i))).passed());
    }
    each(c, count, Out<T>(0)), each(before, count, Out<T>(0));
    CHECK((c.elements == before.elements));  // the gaps between the elements are unchanged
  }

 private:
  static constexpr bool is_exact = std::is_integral_v<Out<T>>;

  Index draw(Index from, Index to) { return std::uniform_int_distribution<Index>(from, to)(generator_); }

  /// A row-major or column-major matrix with gaps, whose rows may be in reverse order.
  template <class E>
  Operand<E> operand(Index rows, Index cols, Index count) {
    const bool by_rows = draw(0, 1) == 0;
    const Index inner = draw(1, 2), lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
    const Index ld = std::max<Index>(1, length * inner) + draw(0, 3), stride = ld * lines + draw(0, 3);
    Operand<E> made{random<E>(stride * count + 4, generator_()), {}, stride};
    E* const data = made.elements.data() + draw(0, 3);
    made.first =
        by_rows ? MatrixRef<E>{data, rows, cols, ld, inner} : MatrixRef<E>{data, rows, cols, inner, ld};
    if (rows > 0 && draw(0, 3) == 0) {
      made.first.data += (rows - 1) * made.first.row_stride;
      made.first.row_stride = -made.first.row_stride;
    }
    return made;
  }

  static void each(Operand<Out<T>>& x, Index count, const Out<T>& value) {
    for (Index p = 0; p < count; ++p) {
      const MatrixRef<Out<T>> X = x.at(p);
      for (Index i = 0; i < X.rows; ++i) {
        for (Index j = 0; j < X.cols; ++j) X(i, j) = value;
      }
    }
  }

  static rooftile_status multiply(rooftile_handle handle, By by, const Scalar<T>& alpha, Operand<In<T>>& a,
                                  Operand<In<T>>& b, const Scalar<T>& beta, Operand<Out<T>>& c,
                                  const Entries& entries) {
    const auto [count, inner] = entries;
    const rooftile_layout A = layout_of(a.first), B = layout_of(b.first), C = layout_of(c.first);
    if (by == By::one)
      return rooftile_gemm(handle, c_type<T>, &alpha, a.first.data, A, b.first.data, B, &beta, c.first.data,
                           C);
    if (by == By::strides)
      return call<T>(handle,
                     {{alpha, a.first, b.first, beta, c.first}, {count, a.stride, b.stride, c.stride}});
    if (by == By::nested) {  // outer entries are contiguous; inner ones are not
      const Index outer = count / inner;
      const auto between = [&](auto& x) { return outer * x.stride; };
      return call<T>(handle,
                     {{alpha, a.first, b.first, beta, c.first},
                      {count, between(a), between(b), between(c), inner, a.stride, b.stride, c.stride}});
    }
    if (by == By::group) {
      std::vector<rooftile_product> products;
      for (Index i = 0; i < count; ++i)
        products.push_back({&alpha, a.at(i).data, A, b.at(i).data, B, &beta, c.at(i).data, C});
      return rooftile_gemm_grouped(handle, c_type<T>, products.data(), count);
    }
    std::vector<const void*> as, bs;
    std::vector<void*> cs;
    for (Index i = 0; i < count; ++i) {
      as.push_back(a.at(i).data), bs.push_back(b.at(i).data), cs.push_back(c.at(i).data);
    }
    return rooftile_gemm_batched(handle, c_type<T>, &alpha, as.data(), A, bs.data(), B, &beta, cs.data(), C,
                                 count);
  }

  std::uint64_t seed_;
  std::mt19937_64 generator_;
};

/// The interface has no 8-bit floats.
using AllProducts = decltype(std::tuple_cat(
    Elements(), std::tuple<Mixed<float16, float>, Mixed<bfloat16, float>, Mixed<float, double>,
                           Mixed<std::int8_t, std::int32_t>>()));

TEMPLATE_LIST_TEST_CASE("random products in C are within their bounds, and nothing else is written", "[c]",
                        AllProducts) {
  std::mt19937_64 generator(20261123);
  const Index extents[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 64, 100};
  const auto extent = [&] {
    return extents[std::uniform_int_distribution<std::size_t>(0, std::size(extents) - 1)(generator)];
  };
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const GemmShape shape{extent(), extent(), extent()};
    for (const By by : {By::one, By::strides, By::nested, By::pointers, By::group})
      Products<TestType>(seed).check(by, shape);
  }
}

TEMPLATE_LIST_TEST_CASE("products in C that threads share are within their bounds", "[c]", AllProducts) {
  for (const GemmShape& shape : {GemmShape{301, 250, 270}, {900, 3, 700}, {4, 800, 600}, {30, 31, 3000}})
    Products<TestType>(7).check(By::one, shape);
}

TEMPLATE_LIST_TEST_CASE("a C without K is scaled, and one without elements is nothing to do", "[c]",
                        AllProducts) {
  const Handle handle;
  const Scalar<TestType> one(1), two(2);
  std::vector<Out<TestType>> c(12, Out<TestType>(3));
  const rooftile_layout C = rooftile_row_major(3, 4, 4);
  CHECK(rooftile_gemm(handle, c_type<TestType>, &one, nullptr, rooftile_row_major(3, 0, 1), nullptr,
                      rooftile_row_major(0, 4, 4), &two, c.data(), C) == ROOFTILE_SUCCESS);
  CHECK((c == std::vector<Out<TestType>>(12, Out<TestType>(6))));
  CHECK(rooftile_gemm(handle, c_type<TestType>, &one, nullptr, rooftile_row_major(0, 5, 5), nullptr,
                      rooftile_row_major(5, 4, 4), &two, nullptr,
                      rooftile_row_major(0, 4, 4)) == ROOFTILE_INVALID_VALUE);  // B has elements
  CHECK(rooftile_gemm(handle, c_type<TestType>, &one, nullptr, rooftile_row_major(0, 0, 1), nullptr,
                      rooftile_row_major(0, 4, 4), &two, nullptr,
                      rooftile_row_major(0, 4, 4)) == ROOFTILE_SUCCESS);
}

TEMPLATE_LIST_TEST_CASE("a batch in C wants no addresses of what it does not read", "[c]", Elements) {
  const Handle handle;
  const Scalar<TestType> zero(0), one(1), two(2);
  std::vector<TestType> c(24, TestType(3));
  void* const cs[] = {c.data() + 12, c.data()};
  const void* const nowhere[] = {nullptr, nullptr};
  const rooftile_layout C = rooftile_row_major(3, 4, 4), none = rooftile_row_major(0, 4, 4);
  const auto batched = [&](const Scalar<TestType>& alpha, const void* const* A, const void* const* B,
                           int64_t k, void* const* to, const rooftile_layout& layout, int64_t count) {
    return rooftile_gemm_batched(handle, c_type<TestType>, &alpha, A, rooftile_row_major(layout.rows, k, k),
                                 B, rooftile_row_major(k, 4, 4), &two, to, layout, count);
  };
  CHECK(batched(zero, nullptr, nullptr, 5, cs, C, 2) == ROOFTILE_SUCCESS);
  CHECK((c == std::vector<TestType>(24, TestType(6))));
  CHECK(batched(zero, nowhere, nullptr, 5, cs, C, 2) == ROOFTILE_SUCCESS);
  CHECK(batched(one, nullptr, nowhere, 0, cs, C, 2) == ROOFTILE_SUCCESS);
  CHECK((c == std::vector<TestType>(24, TestType(24))));
  CHECK(batched(zero, nullptr, nullptr, 5, cs, C, 1) == ROOFTILE_SUCCESS);
  CHECK((c[11] == TestType(24) && c[12] == TestType(48)));
  CHECK(batched(one, nullptr, nullptr, 0, nullptr, none, 2) == ROOFTILE_SUCCESS);
  for (const int64_t count : {1, 2}) {
    CHECK(batched(zero, nullptr, nullptr, 5, nullptr, C, count) == ROOFTILE_INVALID_VALUE);
    CHECK(batched(one, nullptr, nullptr, 5, cs, C, count) == ROOFTILE_INVALID_VALUE);
  }
  CHECK_THAT(handle.message(), Catch::Matchers::StartsWith("null array of pointers (A, 2 matrices)"));
  CHECK((c[11] == TestType(24) && c[12] == TestType(48)));
}

using Catch::Matchers::StartsWith;

/// The arguments of a correct product (2,3,4).
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

/// The message of a refused call.
template <class Change>
std::string refused(const Change& change) {
  const Handle handle;
  Arguments x;
  change(x);
  CHECK(rooftile_gemm(handle, x.type, x.alpha, x.A, x.la, x.B, x.lb, x.beta, x.C, x.lc) ==
        ROOFTILE_INVALID_VALUE);
  CHECK(x.c == std::vector<double>(6, 7));
  const std::string message = handle.message();
  // The handle stays usable and keeps the message.
  Arguments right;
  CHECK(rooftile_gemm(handle, right.type, right.alpha, right.A, right.la, right.B, right.lb, right.beta,
                      right.C, right.lc) == ROOFTILE_SUCCESS);
  CHECK(right.c == std::vector<double>(6, 4));
  CHECK(handle.message() == message);
  return message;
}

/// Checks that a call was refused with this message.
void check_refused(rooftile_status status, const Handle& handle, const std::string& message) {
  CHECK(status == ROOFTILE_INVALID_VALUE);
  CHECK_THAT(handle.message(), StartsWith(message));
}

TEST_CASE("a wrong argument of the C interface is refused by its name", "[c]") {
  const auto check = [](const std::string& problem, const auto& change) {
    CHECK_THAT(refused(change), StartsWith(problem));
  };
  check("unknown type (10)", [](Arguments& x) { x.type = 10; });
  check("unknown type (-1)", [](Arguments& x) { x.type = -1; });
  check("null alpha (type fp64)", [](Arguments& x) { x.alpha = nullptr; });
  check("null beta (type fp64)", [](Arguments& x) { x.beta = nullptr; });
  check("null data of A (2 x 4)", [](Arguments& x) { x.A = nullptr; });
  check("null data of B (4 x 3)", [](Arguments& x) { x.B = nullptr; });
  check("null data of C (2 x 3)", [](Arguments& x) { x.C = nullptr; });
  check("shapes do not conform (A 2 x 5, B 4 x 3, C 2 x 3)", [](Arguments& x) { x.la.cols = 5; });
  check("negative size of A (-2 x 4)", [](Arguments& x) { x.la.rows = x.lc.rows = -2; });
  check("elements of C overlap (2 x 3, strides 1 and 1)", [](Arguments& x) { x.lc.row_stride = 1; });
  check("C overlaps A (", [](Arguments& x) { x.A = x.C; });
  check("extent times stride overflows for B (4 x ",
        [](Arguments& x) { x.lb.row_stride = std::numeric_limits<int64_t>::max() / 2; });
}

TEST_CASE("products of mixed types in C are refused by the argument's name", "[c]") {
  const Handle handle;
  const std::int32_t one = 1, zero = 0;
  std::int32_t c[6] = {7, 7, 7, 7, 7, 7};
  const std::int8_t b[12] = {};
  const auto multiply = [&](const void* alpha, const void* A) {
    return rooftile_gemm(handle, ROOFTILE_INT8_INT32, alpha, A, rooftile_row_major(2, 4, 4), b,
                         rooftile_row_major(4, 3, 3), &zero, c, rooftile_row_major(2, 3, 3));
  };
  check_refused(multiply(nullptr, b), handle, "null alpha (type int8 with C of int32)");
  check_refused(multiply(&one, reinterpret_cast<const char*>(c + 6) - 1), handle, "C overlaps A (");
  CHECK(std::vector<std::int32_t>(c, c + 6) == std::vector<std::int32_t>(6, 7));
}

TEST_CASE("a batch in C with a matrix that cannot be multiplied is refused", "[c]") {
  const Handle handle;
  Arguments x;
  const void *as[] = {x.A, x.A}, *bs[] = {x.B, nullptr};
  void* cs[] = {x.C, x.C};
  const auto batched = [&](const void* const* A, const void* const* B, void* const* C, int64_t count) {
    return rooftile_gemm_batched(handle, x.type, x.alpha, A, x.la, B, x.lb, x.beta, C, x.lc, count);
  };
  check_refused(batched(as, bs, cs, 2), handle, "null pointer in the batch B (number 1 of 2, ");
  check_refused(batched(as, nullptr, cs, 2), handle, "null array of pointers (B, 2 matrices)");
  check_refused(batched(as, bs, cs, -1), handle, "negative number of products (-1)");
  CHECK(batched(nullptr, nullptr, nullptr, 0) == ROOFTILE_SUCCESS);
  const auto nested = [&](rooftile_steps c, int64_t outer, int64_t inner) {
    return rooftile_gemm_nested_batched(handle, x.type, x.alpha, x.A, x.la, {0, 0}, x.B, x.lb, {0, 0}, x.beta,
                                        x.C, x.lc, c, outer, inner);
  };
  const std::string overlap = "products overlap (C 2 x 3, strides 3 and 1, batch stride ";
  check_refused(rooftile_gemm_strided_batched(handle, x.type, x.alpha, x.A, x.la, 0, x.B, x.lb, 0, x.beta,
                                              x.C, x.lc, 0, 2),
                handle, overlap + "0 elements)");
  check_refused(nested({6, 6}, 2, 2), handle, overlap + "6 elements, inner count 2, outer stride 6)");
  for (const auto& [outer, inner] : {std::pair<int64_t, int64_t>(-1, 2), {2, -1}})
    check_refused(nested({12, 6}, outer, inner), handle, "negative number of products (-1)");
  const int64_t many = int64_t{1} << 40;
  check_refused(nested({12, 6}, many, many), handle, "too many products (1099511627776 x 1099511627776)");
  CHECK((nested({12, 6}, 0, 3) == ROOFTILE_SUCCESS && nested({12, 6}, 3, 0) == ROOFTILE_SUCCESS));
  CHECK(x.c == std::vector<double>(6, 7));
}

TEST_CASE("a group in C with a product that cannot be computed is refused", "[c]") {
  const Handle handle;
  Arguments x;
  const rooftile_product right{x.alpha, x.A, x.la, x.B, x.lb, x.beta, x.C, x.lc};
  rooftile_product products[] = {right, right};
  const auto grouped = [&](const rooftile_product* group, int64_t count) {
    return rooftile_gemm_grouped(handle, x.type, group, count);
  };
  products[1].B = nullptr;
  check_refused(grouped(products, 2), handle, "product 1 of 2, counted from 0: null data of B (4 x 3)");
  products[1] = right, products[1].alpha = nullptr;
  check_refused(grouped(products, 2), handle, "product 1 of 2, counted from 0: null alpha (type fp64)");
  check_refused(grouped(nullptr, 3), handle, "null array of products (3)");
  check_refused(grouped(products, -1), handle, "negative number of products (-1)");
  CHECK(rooftile_gemm_grouped(handle, 10, products, 1) == ROOFTILE_INVALID_VALUE);
  CHECK(x.c == std::vector<double>(6, 7));
  CHECK(grouped(nullptr, 0) == ROOFTILE_SUCCESS);
  CHECK(grouped(products, 1) == ROOFTILE_SUCCESS);
  CHECK(x.c == std::vector<double>(6, 4));
}

TEST_CASE("a call without a handle is refused", "[c]") {
  Arguments x;
  CHECK(rooftile_gemm(nullptr, x.type, x.alpha, x.A, x.la, x.B, x.lb, x.beta, x.C, x.lc) ==
        ROOFTILE_INVALID_VALUE);
  CHECK(rooftile_gemm_grouped(nullptr, x.type, nullptr, 0) == ROOFTILE_INVALID_VALUE);
  CHECK(x.c == std::vector<double>(6, 7));
  CHECK(rooftile_create(nullptr) == ROOFTILE_INVALID_VALUE);
  CHECK(std::string(rooftile_last_message(nullptr)) == "null handle: create one with rooftile_create");
  rooftile_destroy(nullptr);
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
