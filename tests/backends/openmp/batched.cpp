// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Batches by pointers and two-dimensional batches on CPUs: results, plans, refusals, and copies of pointers.
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "backends/kokkos/host_pointers.hpp"
#include "numerics/reference.hpp"
#include "rooftile/fused.hpp"
#include "rooftile/gemm.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/pointers.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

/// Products of (m,k)·(k,n) by pointers, in memory that holds numbers.
struct Products {
  Index m = 5, n = 7, k = 6, count = 4;
  std::vector<float> a, b, c;
  std::vector<float*> of_a, of_b, of_c;

  explicit Products(Index count_ = 4) : count(count_) {
    instance();
    const auto fill = [this](std::vector<float>& memory, std::vector<float*>& pointers, Index rows,
                             Index cols) {
      memory.resize(static_cast<std::size_t>(count * rows * cols));
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>((i * 7 + 3) % 11) - 5;
      pointers = pointers_to(row_major(memory.data(), rows, cols), rows * cols, count);
    };
    fill(a, of_a, m, k), fill(b, of_b, k, n), fill(c, of_c, m, n);
  }

  BatchRef<float> A() { return pointer_batch(of_a.data(), row_major<float>(nullptr, m, k), count); }
  BatchRef<float> B() { return pointer_batch(of_b.data(), row_major<float>(nullptr, k, n), count); }
  BatchRef<float> C() { return pointer_batch(of_c.data(), row_major<float>(nullptr, m, n), count); }

  /// The error of a refused call. C must be unchanged.
  template <class F>
  std::string refusal(const F& call) {
    const std::vector<float> before = c;
    const std::string text = refused(call);
    CHECK((text.empty() || c == before));
    return text;
  }
};

TEST_CASE("a null pointer is refused with its number, unless nobody would follow it", "[batched]") {
  for (const Index count : {1, 4}) {
    Products of(count);
    const Index last = count - 1;
    const auto text = [&](const char* name) {  // a batch of one is reported as a single product
      return count == 1
                 ? detail::text("null data of ", name, " (")
                 : detail::text("null pointer in the batch ", name, " (number ", last, " of ", count, ", ");
    };
    const auto refusal = [&](float alpha) {
      return of.refusal([&] { gemm_batched(instance(), alpha, of.A(), of.B(), 1, of.C()); });
    };
    of.of_a.back() = nullptr;
    CHECK(refusal(1).starts_with(text("A")));
    CHECK(refusal(0) == "");
    of = Products(count), of.of_b.back() = nullptr;
    CHECK(refusal(1).starts_with(text("B")));
    CHECK(refused([&] {
            static_cast<void>(explain(instance(), 1, of.A(), of.B(), 0, of.C()));
          }).starts_with(text("B")));
    of = Products(count), of.of_c.back() = nullptr;
    CHECK(refusal(1).starts_with(text("C")));
    CHECK(refusal(0).starts_with(text("C")));
    of.m = of.n = 0;
    CHECK(refusal(1) == "");
  }
}

TEST_CASE("a plan of a batch by pointers runs it, and no other", "[batched]") {
  Products of;
  const GemmPlan plan = explain(instance(), 1, of.A(), of.B(), 0, of.C());
  CHECK((plan.desc.by_pointers && plan.desc.count == 4));
  run(plan, instance(), 1, of.A(), of.B(), 0, of.C());
  for (Index i = 0; i < of.count; ++i)
    CHECK(Reference<float>({1, of.A()[i], of.B()[i], 0, of.C()[i]}).compare_exact(of.C()[i]).ratio == 0);
  const BatchRef<float> strided{row_major(of.c.data(), of.m, of.n), of.m * of.n, of.count};
  const BatchRef<const float> a{row_major<const float>(of.a.data(), of.m, of.k), of.m * of.k, of.count};
  const BatchRef<const float> b{row_major<const float>(of.b.data(), of.k, of.n), of.k * of.n, of.count};
  CHECK(
      of.refusal([&] { run(plan, instance(), 1, a, b, 0, strided); }).starts_with("plan for other products"));
}

TEST_CASE("a host's copies of pointers lead to the same batch", "[batched]") {
  Products of;
  const MatrixRef<const float> one = row_major<const float>(of.a.data(), of.m, of.k);
  const BatchArgs<float> args =
      detail::batch_args<float>(1, BatchRef<const float>{one, 0, of.count}, of.B(), 0, of.C());
  {
    const portable::HostPointers<float> host(instance(), args);
    const BatchPointers<float>& copied = host.args().pointers;
    CHECK((copied.a == nullptr && copied.b != of.of_b.data() && copied.c != of.of_c.data()));
    for (Index i = 0; i < of.count; ++i) {
      const GemmArgs<float> product = host.args().part(i, 1).product(0);
      CHECK((product.A.data == one.data && product.B.data == of.B()[i].data &&
             product.C.data == of.C()[i].data));
    }
  }
  of.of_b[1] = nullptr;
  CHECK(refused([&] {
          const portable::HostPointers<float> host(instance(), args);
        }).starts_with("null pointer in the batch B (number 1 of 4, "));
}

TEST_CASE("pointers to std::complex are read, and as conjugates", "[batched]") {
  instance();
  using Z = std::complex<double>;
  std::vector<Z> x{{1, 2}, {3, -1}}, y{{2, 1}, {0, 1}}, z(2);
  const std::vector<const Z*> of_x{&x[1], &x[0]}, of_y{&y[0], &y[1]};
  const std::vector<Z*> of_z{&z[0], &z[1]};
  const auto one = row_major<const Z>(nullptr, 1, 1);
  gemm_batched(instance(), 1, batch_ref(pointer_batch(of_x.data(), one, 2)).adjoint(),
               pointer_batch(of_y.data(), one, 2), 0,
               pointer_batch(of_z.data(), row_major<Z>(nullptr, 1, 1), 2));
  CHECK((z[0] == std::conj(x[1]) * y[0] && z[1] == std::conj(x[0]) * y[1]));
}

constexpr Index sequences = 5, heads = 3, m = 4, n = 6, k = 7;

template <class T>
using Four = Kokkos::View<T****, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Integers that differ from their neighbours.
template <class T>
Four<T> numbers(Index d0, Index d1, Index d2, Index d3, int factor) {
  instance();
  Four<T> x("x", d0, d1, d2, d3);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int value = static_cast<int>((static_cast<int>(i) * factor + 3) % 11) - 5;
    x.data()[i] = static_cast<T>(static_cast<Scalar<T>>(value));
  }
  return x;
}

/// The same elements with the heads as the second dimension. In memory, the heads are interleaved in each row
/// of a sequence.
template <class T>
BatchRef<T> by_heads(const Four<T>& x) {
  const MatrixRef<T> first{x.data(), static_cast<Index>(x.extent(1)), static_cast<Index>(x.extent(3)),
                           static_cast<Index>(x.stride(1)), 1};
  return nested_batch(first, static_cast<Index>(x.extent(0)), static_cast<Index>(x.stride(0)),
                      static_cast<Index>(x.extent(2)), static_cast<Index>(x.stride(2)));
}

/// Computes C by the definition.
template <class A, class B, class C>
void multiply(const A& a, const B& b, const C& c) {
  using T = std::remove_reference_t<decltype(c(0, 0, 0, 0))>;
  for (Index s = 0; s < sequences; ++s) {
    for (Index h = 0; h < heads; ++h) {
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < n; ++j) {
          Scalar<T> sum(0);
          for (Index l = 0; l < k; ++l)
            sum = sum + static_cast<Scalar<T>>(a(s, h, i, l)) * static_cast<Scalar<T>>(b(s, h, l, j));
          c(s, h, i, j) = static_cast<T>(sum);
        }
      }
    }
  }
}

template <class T>
bool same(const Four<T>& x, const Four<T>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(static_cast<Scalar<T>>(x.data()[i]) == static_cast<Scalar<T>>(y.data()[i]))) return false;
  }
  return true;
}

TEMPLATE_TEST_CASE("views of rank 4 are batches of two dimensions", "[batched]", float, double, float16,
                   bfloat16, complex<float>, complex<double>) {
  using T = TestType;
  const auto a = numbers<T>(sequences, heads, m, k, 3), b = numbers<T>(sequences, heads, k, n, 5);
  const Four<T> c("c", sequences, heads, m, n), expected("expected", sequences, heads, m, n);
  multiply(a, b, expected);
  gemm_batched(instance(), 1, a, b, 0, c);
  CHECK(same(c, expected));
  // One B for all heads, and one for each head.
  const auto one = Kokkos::subview(b, 0, 0, Kokkos::ALL, Kokkos::ALL);
  const auto of_first = Kokkos::subview(b, 0, Kokkos::ALL, Kokkos::ALL, Kokkos::ALL);
  multiply(
      a, [&](Index, Index, Index l, Index j) { return one(l, j); }, expected);
  gemm_batched(instance(), 1, a, one, 0, c);
  CHECK(same(c, expected));
  multiply(
      a, [&](Index, Index h, Index l, Index j) { return of_first(h, l, j); }, expected);
  const BatchRef<T> heads_of_first = batch_ref(of_first);
  gemm_batched(instance(), 1, a,
               nested_batch(heads_of_first.first, sequences, 0, heads, heads_of_first.stride), 0, c);
  CHECK(same(c, expected));
}

TEMPLATE_TEST_CASE("heads that take turns in memory are the second dimension", "[batched]", float, double,
                   float16, bfloat16, complex<float>, complex<double>) {
  using T = TestType;
  const auto a = numbers<T>(sequences, m, heads, k, 3), b = numbers<T>(sequences, k, heads, n, 5);
  const Four<T> c("c", sequences, m, heads, n), expected("expected", sequences, m, heads, n);
  const auto swapped = [](const Four<T>& x) {
    return [x](Index s, Index h, Index i, Index j) -> T& { return x(s, i, h, j); };
  };
  multiply(swapped(a), swapped(b), swapped(expected));
  gemm_batched(instance(), 1, by_heads(a), by_heads(b), 0, by_heads(c));
  CHECK(same(c, expected));
  Kokkos::deep_copy(c, T());
  const GemmPlan plan = explain(instance(), 1, by_heads(a), by_heads(b), 0, by_heads(c));
  CHECK((plan.desc.count == sequences && plan.desc.outer == heads));
  run(plan, instance(), 1, by_heads(a), by_heads(b), 0, by_heads(c));
  CHECK(same(c, expected));
}

TEST_CASE("an epilogue gets the number of an entry of two dimensions", "[batched]") {
  const auto a = numbers<double>(sequences, m, heads, k, 3), b = numbers<double>(sequences, k, heads, n, 5);
  const Four<double> c("c", sequences, m, heads, n), plain("plain", sequences, m, heads, n);
  gemm_batched(instance(), 1, by_heads(a), by_heads(b), 0, by_heads(plain));
  const auto marked = [](Index entry, Index i, Index j, double value) {
    return value + static_cast<double>(1000 * entry + 10 * i + j);
  };
  gemm_batched_fused(instance(), 1, by_heads(a), by_heads(b), 0, by_heads(c), marked);
  Index wrong = 0;
  for (Index s = 0; s < sequences; ++s) {
    for (Index h = 0; h < heads; ++h) {
      for (Index e = 0; e < m * n; ++e) {
        const Index i = e / n, j = e % n;
        wrong += c(s, i, h, j) == marked(s * heads + h, i, j, plain(s, i, h, j)) ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(
      refused([&] {
        gemm_batched_fused(instance(), 1, by_heads(a), by_heads(b), 0, by_heads(c),
                           epilogue::plus(1.0, by_heads(plain)));
      }).starts_with("epilogue operand has a batch of two dimensions (D, 15 matrices, 3 in the inner one)"));
}

TEST_CASE("a batch of two dimensions scales C without K, and is refused where C overlaps A", "[batched]") {
  const auto a = numbers<float>(sequences, m, heads, k, 3), b = numbers<float>(sequences, k, heads, n, 5);
  const Four<float> c = numbers<float>(sequences, m, heads, n, 7),
                    before = numbers<float>(sequences, m, heads, n, 7);
  BatchRef<float> on_c = by_heads(a);
  on_c.first.data = c.data() + 3;
  CHECK(refused([&] {
          gemm_batched(instance(), 1, on_c, by_heads(b), 0, by_heads(c));
        }).starts_with("C overlaps A ("));
  CHECK(same(c, before));
  const Four<float> none("none", 0, m, heads, k), no_c("no_c", 0, m, heads, n),
      no_k("no_k", sequences, m, heads, 0);
  const Four<float> no_rows("no_rows", sequences, 0, heads, n), no_b("no_b", 0, k, heads, n);
  gemm_batched(instance(), 1, by_heads(none), by_heads(no_b), 0, by_heads(no_c));
  gemm_batched(instance(), 1, by_heads(no_k), by_heads(no_rows), 1, by_heads(c));
  CHECK(same(c, before));
  Kokkos::deep_copy(c, std::numeric_limits<float>::quiet_NaN());
  gemm_batched(instance(), 0, by_heads(a), by_heads(b), 0, by_heads(c));
  CHECK(same(c, Four<float>("zero", sequences, m, heads, n)));
}

}  // namespace
}  // namespace rooftile::testing
