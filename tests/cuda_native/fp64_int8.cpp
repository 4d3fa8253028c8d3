// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// fp64 from int8 products on Hopper: the bound of docs/numerics.md for all numbers and layouts, the fp64
// fallback of the guard, chunks, batches, graphs and the caller's workspace.
#include "rooftile/fp64_int8.hpp"

#include <limits>

#include "int8_product.hpp"
#include "ones.hpp"
#include "plan/batch_operands.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Layout any_layout(Random& random) {
  return {random() % 2 == 0, static_cast<Index>(random() % 3), random() % 4 == 0 ? 2 : 1,
          static_cast<Index>(random() % 3)};
}

/// Returns the fault, or an empty string. @param moduli  number of moduli of the product; 0: fp64
std::string fault(OnDevice& product, const Operands& x, const Numbers& before, const Layout& c, double alpha,
                  double beta, int named, int moduli) {
  const std::vector<double> found = product.computed(by_int8(named));
  if (moduli == 0) return same_bits(found, product.in_fp64(by_int8(named))) ? "" : "not fp64 itself";
  const int wrong = count_wrong(x, before, c, alpha, beta, moduli, named == 0, found);
  return wrong == 0 ? "" : std::to_string(wrong) + " elements wrong";
}

TEST_CASE("fp64 from products of int8 keeps its bound on all kinds of numbers, in any layout",
          "[fp64_int8]") {
  need_int8();
  Random random(1);
  int passed = 0, refused = 0;
  for (const GemmShape& shape : {GemmShape{1, 1, 1},
                                 {3, 5, 2},
                                 {40, 30, 333},
                                 {129, 260, 64},
                                 {6, 7, 3000},
                                 {300, 33, 129},
                                 {17, 513, 128}}) {
    for (const std::string_view kind : kinds) {
      for (const int named : {0, 13, 16}) {
        const Operands x = operands_of(kind, shape, random);
        Numbers before(shape.m, shape.n);
        const double beta = random() % 2 == 0 ? 0 : -0.5, alpha = random() % 2 == 0 ? 1 : 2;
        const double old = beta == 0 ? nan : number_of(kind, random);
        for (double& c : before.data) c = old;
        const OnDevice::Layouts layouts{any_layout(random), any_layout(random), any_layout(random)};
        OnDevice product(x, before, layouts, alpha, beta);
        const int moduli = named > 0 ? named : product.guard().moduli;
        INFO(kind << ' ' << to_string(shape) << ", named " << named << ", " << moduli << " moduli");
        CHECK(fault(product, x, before, layouts.c, alpha, beta, named, moduli) == "");
        ++(moduli > 0 ? passed : refused);
      }
    }
  }
  CHECK((passed > 250 && refused > 20));
}

TEST_CASE("the guard on the device finds what that of the host does", "[fp64_int8]") {
  need_int8();
  Random random(2);
  const OnDevice::Layouts layouts{{false, 0}, {false, 1}, {false, 0}};
  for (const GemmShape& shape : {GemmShape{20, 30, 1024}, {7, 40, 5}, {64, 64, 300}}) {
    for (const std::string_view kind : kinds) {
      const Operands x = operands_of(kind, shape, random);
      const Int8Guard here = int8_guard(x.a.ref(), x.b.ref());
      const Int8Guard there = OnDevice(x, Numbers(shape.m, shape.n), layouts, 1, 0).guard();
      INFO(kind << ' ' << to_string(shape));
      CHECK((there.moduli == here.moduli && there.why == here.why));
      CHECK((there.a.finite && there.b.finite));
    }
  }
  Operands x = operands_of("normal", {20, 30, 40}, random);
  x.b(3, 4) = nan;
  const Int8Guard found = OnDevice(x, Numbers(20, 30), layouts, 1, 0).guard();
  CHECK((found.a.finite && !found.b.finite && found.moduli == 0));
  CHECK(found.why == "fp64 itself: an element is infinite or NaN");
}

TEST_CASE("the guard on the device answers of nothing, and refuses what does not conform", "[fp64_int8]") {
  need_int8();
  const Buffer<double> memory(device(), 64);
  const auto guard = [&](Index m, Index n, Index k) {
    return cuda_native::int8_guard(nullptr, row_major<const double>(memory.data(), m, k),
                                   row_major<const double>(memory.data(), k, n));
  };
  CHECK(guard(4, 4, 0).why == "fp64 itself: there is nothing to multiply");
  CHECK(guard(0, 4, 4).moduli == residues::min_moduli);
  CHECK(refused([&] {
          cuda_native::int8_guard(nullptr, row_major<const double>(memory.data(), 4, 5),
                                  row_major<const double>(memory.data(), 4, 4));
        }) != "");
  CHECK(refused([&] {
          cuda_native::int8_guard(nullptr, row_major<const double>(nullptr, 4, 4),
                                  row_major<const double>(memory.data(), 4, 4));
        }).starts_with("null data of A"));
}

TEST_CASE("infinity and NaN give what they give in fp64, with a number of moduli by name, too",
          "[fp64_int8]") {
  need_int8();
  Random random(3);
  const OnDevice::Layouts layouts{{false, 0}, {true, 0}, {true, 2}};
  for (const double x : {std::numeric_limits<double>::infinity(), nan}) {
    for (const bool in_a : {true, false}) {
      for (const int named : {0, 16}) {
        Operands of = operands_of("normal", {20, 30, 40}, random);
        (in_a ? of.a : of.b)(7, 3) = x;
        Numbers before(20, 30);
        before(3, 4) = 5;
        OnDevice product(of, before, layouts, 1, 0);
        const std::vector<double> found = product.computed(by_int8(named));
        CHECK(same_bits(found, product.in_fp64(by_int8(named))));
        CHECK(std::any_of(found.begin(), found.end(), [](double c) { return !std::isfinite(c); }));
      }
    }
  }
}

TEST_CASE("fp64 from products of int8 of small integers is exact, and the same in each run", "[fp64_int8]") {
  need_int8();
  Random random(4);
  const Operands x = operands_of("small integers", {150, 270, 700}, random);
  OnDevice product(x, Numbers(150, 270), {}, 1, 0);
  REQUIRE(product.guard().moduli > 0);
  const std::vector<double> found = product.computed(by_int8());
  int wrong = 0;
  for (Index i = 0; i < 150; ++i) {
    for (Index j = 0; j < 270; ++j)
      wrong += found[static_cast<std::size_t>(i * 270 + j)] != exact_element(x, i, j).sum;
  }
  CHECK(wrong == 0);
  OnDevice other(operands_of("normal", {500, 600, 4000}, random), Numbers(500, 600), {}, 1, 0);
  const std::vector<double> first = other.computed(by_int8());
  for (int run = 0; run < 5; ++run) CHECK(same_bits(other.computed(by_int8()), first));
}

using cuda_native::check;

TEST_CASE("chunks of C give the same bits as all of it", "[fp64_int8]") {
  need_int8();
  Random random(1);
  const GemmShape shape{1100, 900, 300};
  for (const OnDevice::Layouts& layouts : {OnDevice::Layouts{}, {{true, 1}, {true, 0}, {true, 3}}}) {
    OnDevice product(operands_of("normal", shape, random),
                     operands_of("normal", {shape.m, 1, shape.n}, random).a, layouts, -2, 0.5);
    const std::vector<double> whole = product.computed(by_int8());
    Index rows = std::numeric_limits<Index>::max(), columns = rows;
    int chunkings = 0;
    GemmOptions options = by_int8();
    for (std::size_t bytes = product.plan(options).workspace / 4 * 3;; bytes = bytes / 4 * 3) {
      options.workspace.bytes = bytes;
      if (!refused([&] { product.plan(options); }).empty()) break;
      const GemmPlan plan = product.plan(options);
      if (plan.rows == rows && plan.columns == columns) continue;
      rows = plan.rows, columns = plan.columns;
      INFO(rows << " x " << columns);
      CHECK(same_bits(product.computed(options), whole));
      ++chunkings;
    }
    CHECK((chunkings >= 3 && rows == 256 && columns == 256));
  }
}

TEST_CASE("a workspace too small for residues leaves the product to fp64 itself", "[fp64_int8]") {
  need_int8();
  Random random(2);
  OnDevice product(operands_of("normal", {3000, 3000, 3000}, random), Numbers(3000, 3000), {}, 1, 0);
  GemmOptions options{.math = ComputeMode::fp64_int8};
  options.moduli = 14;  // selects the kernel whatever its cost
  CHECK(product.plan(options).kernel == Kernel::warpgroup_int8);
  options.workspace.bytes = 1024;
  const GemmPlan plan = product.plan(options);
  CHECK((plan.math == ComputeMode::fp64 && plan.workspace <= 1024));
  CHECK(same_bits(product.computed(options), product.computed({.workspace = options.workspace})));
  options.kernel = Kernel::warpgroup_int8;
  CHECK(refused([&] {
          product.plan(options);
        }).starts_with("kernel takes more workspace than is allowed (warpgroup_int8, "));
}

TEST_CASE("the caller's workspace is all that residues take", "[fp64_int8]") {
  need_int8();
  Random random(3);
  OnDevice product(operands_of("normal", {300, 200, 100}, random), Numbers(300, 200), {}, 1, 0);
  const std::vector<double> from_pool = product.computed(by_int8());
  const std::size_t bytes = product.plan(by_int8()).workspace;
  constexpr char mark = 0x5a;
  Buffer<char> memory(device(), bytes + 4096);
  std::vector<char> content(bytes + 4096, mark);
  memory.upload(content);
  GemmOptions options = by_int8();
  options.workspace = {memory.data(), bytes};
  CHECK(same_bits(product.computed(options), from_pool));
  memory.download(content);
  const auto end = content.begin() + static_cast<std::ptrdiff_t>(bytes);
  const auto is_mark = [](char x) { return x == mark; };
  CHECK((!std::all_of(content.begin(), end, is_mark) && std::all_of(end, content.end(), is_mark)));
}

TEST_CASE("without device memory for residues fp64 itself is computed", "[fp64_int8][memory]") {
  need_int8();
  Random random(7);
  OnDevice product(operands_of("normal", {2000, 1500, 1000}, random), Numbers(2000, 1500), {}, 1, 0);
  const std::vector<double> by_residues = product.computed(by_int8()), in_fp64 = product.in_fp64(by_int8());
  CHECK_FALSE(same_bits(by_residues, in_fp64));
  cuda_native::release_workspace(nullptr);
  {
    const MemoryTaken taken(std::size_t{16} << 20);
    CHECK(same_bits(product.computed(by_int8()), in_fp64));
  }
  CHECK(same_bits(product.computed(by_int8()), by_residues));
}

TEST_CASE("entries of a batch have a guard each, at distances and by pointers", "[fp64_int8]") {
  need_int8();
  Random random(4);
  const GemmShape shape{70, 50, 90};
  constexpr Index count = 4;
  constexpr std::size_t size = 10000;  // more than a matrix
  const Layout column_major{true, 1, 1, 0};
  std::vector<Operands> entries;
  std::vector<double> a(count * size), b(count * size), before(count * size, 3);
  for (std::size_t i = 0; i < count; ++i) {
    // Every other entry fails the guard.
    entries.push_back(operands_of(i % 2 == 0 ? "normal" : "lognormal 2", shape, random));
    const std::vector<double> A = laid_out(entries[i].a, column_major), B = laid_out(entries[i].b, {});
    std::copy(A.begin(), A.end(), a.begin() + static_cast<std::ptrdiff_t>(i * size));
    std::copy(B.begin(), B.end(), b.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  Buffer<double> on_a(device(), a.size()), on_b(device(), b.size()), on_c(device(), before.size());
  on_a.upload(a), on_b.upload(b);
  const auto A = column_major.of<const double>(on_a.data(), shape.m, shape.k);
  const auto B = row_major<const double>(on_b.data(), shape.k, shape.n);
  const auto C = row_major(on_c.data(), shape.m, shape.n);

  std::vector<double> expected = before, found = before;
  on_c.upload(before);
  const auto at = [](auto X, Index i) { return X.at(X.data + i * static_cast<Index>(size)); };
  for (Index i = 0; i < count; ++i) {
    CHECK((cuda_native::int8_guard(nullptr, at(A, i), at(B, i)).moduli > 0) == (i % 2 == 0));
    cuda_native::gemm(nullptr, 2, at(A, i), at(B, i), -1, at(C, i), by_int8());
  }
  const auto download = [&](std::vector<double>& to) {
    check(cudaDeviceSynchronize(), "wait for products");
    on_c.download(to);
  };
  download(expected);
  CHECK_FALSE(same_bits(expected, before));

  on_c.upload(before);
  cuda_native::gemm_strided_batched(nullptr, 2, A, size, B, size, -1, C, size, count, by_int8());
  download(found);
  CHECK(same_bits(found, expected));

  std::vector<const double*> to_a, to_b;
  std::vector<double*> to_c;
  for (Index i = 0; i < count; ++i)
    to_a.push_back(at(A, i).data), to_b.push_back(at(B, i).data), to_c.push_back(at(C, i).data);
  Buffer<const double*> all_a(device(), count), all_b(device(), count);
  Buffer<double*> all_c(device(), count);
  all_a.upload(to_a), all_b.upload(to_b), all_c.upload(to_c);
  for (const Index alignment : {8, 16}) {
    on_c.upload(before);
    cuda_native::gemm_batched(nullptr, 2, pointer_batch(all_a.data(), A, count, alignment),
                              pointer_batch(all_b.data(), B, count, alignment), -1,
                              pointer_batch(all_c.data(), C, count, alignment), by_int8());
    download(found);
    CHECK(same_bits(found, expected));
  }
}

TEST_CASE("a graph asks its guard at each replay", "[fp64_int8][graph]") {
  need_int8();
  Random random(5);
  const GemmShape shape{130, 260, 200};
  const Operands plain = operands_of("normal", shape, random),
                 wide = operands_of("lognormal 2", shape, random);
  Buffer<double> a(device(), plain.a.data.size()), b(device(), plain.b.data.size());
  Buffer<double> c(device(), static_cast<std::size_t>(shape.m * shape.n));
  const auto A = row_major<const double>(a.data(), shape.m, shape.k);
  const auto B = row_major<const double>(b.data(), shape.k, shape.n);
  const auto C = row_major(c.data(), shape.m, shape.n);
  const Captured captured([&](cudaStream_t stream) { cuda_native::gemm(stream, 1, A, B, 0, C, by_int8()); });
  for (const Operands* x : {&plain, &wide, &plain, &plain, &wide}) {
    a.upload(x->a.data), b.upload(x->b.data);
    const std::vector<double> old(static_cast<std::size_t>(shape.m * shape.n),
                                  std::numeric_limits<double>::quiet_NaN());
    c.upload(old);
    captured.replay();
    std::vector<double> found(old.size());
    c.download(found);
    OnDevice product(*x, Numbers(shape.m, shape.n), {}, 1, 0);
    CHECK((product.guard().moduli > 0) == (x == &plain));
    CHECK(same_bits(found, x == &plain ? product.computed(by_int8()) : product.in_fp64(by_int8())));
  }
}

TEST_CASE("a plan of fp64 from products of int8 can be kept, and scales C where there is nothing to multiply",
          "[fp64_int8]") {
  need_int8();
  Random random(6);
  OnDevice product(operands_of("normal", {100, 90, 80}, random), Numbers(100, 90), {}, 1, 0);
  const std::vector<double> expected = product.computed(by_int8());
  const GemmPlan plan = product.plan(by_int8());
  for (int run = 0; run < 2; ++run) CHECK(same_bits(product.computed(plan), expected));

  Numbers before(10, 20);
  for (double& c : before.data) c = 3;
  OnDevice scaled(operands_of("normal", {10, 20, 30}, random), before, {}, 0, 2);
  CHECK(same_bits(scaled.computed(by_int8()), std::vector<double>(200, 6)));
  CHECK(same_bits(scaled.computed({.math = ComputeMode::fp64_int8}), std::vector<double>(200, 6)));
}

}  // namespace
}  // namespace rooftile::testing
