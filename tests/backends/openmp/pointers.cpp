// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Batches by pointers on CPUs: refusals before anything of C is written, plans, and copies of pointers.
#include "tests/support/pointers.hpp"

#include <complex>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "backends/kokkos/host_pointers.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/reference.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

/// Products of (m,k)·(k,n) by pointers, in memory that numbers fill.
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

  /// What the call refuses with; C must be as it was.
  template <class F>
  std::string refusal(const F& call) {
    const std::vector<float> before = c;
    const std::string text = refused(call);
    CHECK((text.empty() || c == before));
    return text;
  }
};

TEST_CASE("a null pointer is refused with its number, unless nobody would follow it", "[pointers]") {
  for (const Index count : {1, 4}) {
    Products of(count);
    const Index last = count - 1;
    const auto text = [&](const char* name) {  // a single product is one that lies there
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

TEST_CASE("arrays that are missing, too short or misaligned are refused", "[pointers]") {
  Products of;
  const auto refusal = [&](const BatchRef<float>& A, const BatchRef<float>& C) {
    return of.refusal([&] { gemm_batched(instance(), 1, A, of.B(), 0, C); });
  };
  BatchRef<float> missing = of.A(), fewer = of.A(), odd = of.C();
  missing.pointers = nullptr, fewer.count = 3, odd.alignment = 24;
  CHECK(refusal(missing, of.C()).starts_with("null data of A (5 x 6)"));
  CHECK(refusal(fewer, of.C()).starts_with("numbers of products differ (A 3, B 4, C 4)"));
  CHECK(refusal(of.A(), odd).starts_with("no alignment of pointers (C, 24 bytes)"));
  of.count = -2;
  CHECK(refusal(of.A(), of.C()).starts_with("negative number of products (-2)"));
  of.count = 0;
  CHECK(refusal(of.A(), of.C()) == "");
  BatchRef<float> nothing = of.C();
  nothing.pointers = nullptr;
  CHECK(refusal(of.A(), nothing) == "");
}

TEST_CASE("a single product by pointers is checked as one that lies there", "[pointers]") {
  Products of(1);
  const MatrixRef<float> C = of.C()[0];
  CHECK(of.refusal([&] {
    gemm_batched(instance(), 1, of.A(), pointer_batch(of.of_c.data(), row_major<float>(nullptr, 6, 7), 1), 0,
                 of.C());
  }) == overlap_with("B", row_major(of.of_c[0], 6, 7), C));
}

TEST_CASE("a plan of a batch by pointers runs it, and no other", "[pointers]") {
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

TEST_CASE("what a host that starts each product copies of pointers is the same batch", "[pointers]") {
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

TEST_CASE("pointers to complex numbers of others, conjugated", "[pointers]") {
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

}  // namespace
}  // namespace rooftile::testing
