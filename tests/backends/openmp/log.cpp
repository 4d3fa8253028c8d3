// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The log of the portable API, written to a function of the program.
#include "rooftile/log.hpp"

#include <complex>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/log_line.hpp"
#include "rooftile/fused.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/gemm_grouped.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

/// Receives log lines while the object exists.
class Listener {
 public:
  explicit Listener(bool times = false) : sink_{&take, this, times} { set_log(&sink_); }
  ~Listener() { set_log(nullptr); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::vector<std::string> lines;
  LoggedCall call(std::size_t number) const { return parse_logged(lines.at(number), "lines", 1); }

 private:
  static void take(const char* line, std::size_t length, void* context) {
    auto& self = *static_cast<Listener*>(context);
    const std::lock_guard hold(self.mutex_);
    self.lines.emplace_back(line, length - 1);
    if (line[length - 1] != '\n' || line[length] != '\0') self.lines.back() += " not whole";
  }
  std::mutex mutex_;
  LogSink sink_;
};

struct Memory {
  std::vector<double> a = std::vector<double>(600, 1), b = a, c = a;
};

TEST_CASE("a call has a line as the caller made it", "[log]") {
  const Kokkos::OpenMP exec = instance();
  Memory m;
  const auto A = column_major<const double>(m.a.data() + 1, 5, 7, 9);
  const auto B = row_major<const double>(m.b.data(), 7, 6, 8);
  const auto C = column_major(m.c.data(), 5, 6, 10);
  gemm(exec, 1, A, B, 0, C);
  Listener listener;
  gemm(exec, -1, A, B, 0.25, C);
  REQUIRE(listener.lines.size() == 1);
  const LoggedCall call = listener.call(0);
  CHECK(call.name == "rooftile::gemm");
  const LoggedProduct& p = call.product;
  CHECK(
      (p.type == Type::fp64 && p.math == ComputeMode::fp64 && p.shape == GemmShape{5, 6, 7} && p.count == 1));
  CHECK(
      (p.a == LoggedOperand{1, 9, 8} && p.b.row_stride == 8 && p.c.row_stride == 1 && p.c.col_stride == 10));
  CHECK((p.alpha == Factor::minus_one && p.beta == Factor::other && !p.epilogue && call.group == 0));
  const GemmPlan plan = explain(exec, -1, A, B, 0.25, C);
  CHECK((call.path == "portable" && call.kernel == "packed" && call.tile == to_string(plan.tile)));
  CHECK((call.how == "unpacked" && call.why.starts_with("a_CPU:_blocks") && call.seconds < 0));

  GemmPlan kept = plan;
  kept.why = "kept";
  run(kept, exec, -1, A, B, 0.25, C);
  CHECK((listener.call(1).name == "rooftile::run" && listener.call(1).product == p &&
         listener.call(1).why == "kept"));

  gemm(exec, 1, A, B, 0, C, {.kernel = Kernel::naive});
  CHECK(listener.call(2).kernel == "naive");
  gemm(exec, 1, A.block(0, 0, 0, 7), B, 0, C.block(0, 0, 0, 6));
  CHECK((listener.call(3).kernel == "-" && listener.call(3).product.shape.m == 0));
  set_log(nullptr);
  gemm(exec, 1, A, B, 0, C);
  CHECK(listener.lines.size() == 4);
}

TEST_CASE("a log line of mixed types names both", "[log]") {
  const std::vector<std::int8_t> a(12, 1), b(20, 2);
  std::vector<std::int32_t> c(15);
  const auto A = row_major(a.data(), 3, 4), B = row_major(b.data(), 4, 5);
  const auto C = row_major(c.data(), 3, 5);
  Listener listener;
  gemm(instance(), -1, A, B, 2, C);
  gemm_strided_batched(instance(), 1, A, 0, B, 0, 0, C, 0, 1);
  run(explain(instance(), 1, A, B, 0, C), instance(), 1, A, B, 0, C);
  gemm(instance(), 1, A.block(0, 0, 0, 4), B, 0, C.block(0, 0, 0, 5));
  REQUIRE(listener.lines.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(listener.lines[i].find(" type=int8 result=int32 m=") != std::string::npos);
    CHECK(listener.call(i).product.math == ComputeMode::int8_int32);
  }
  const LoggedCall call = listener.call(0);
  CHECK((call.kernel == "packed" && call.how == "panels" && call.product.alpha == Factor::minus_one));
  CHECK((call.product.beta == Factor::other && call.product.c.row_stride == 5));
}

TEST_CASE("a log line of 8-bit floats has their formats and the layout of their scales", "[log]") {
  const std::vector<float8_e4m3> a(3 * 200, float8_e4m3(1));
  const std::vector<float8_e5m2> b(200 * 5, float8_e5m2(2));
  const std::vector<float> scales(6, 1);
  std::vector<float> c(15);
  const auto A = with_scales(row_major(a.data(), 3, 200), column_major(scales.data(), 3, 2));
  const auto B = row_major(b.data(), 200, 5);
  const auto C = row_major(c.data(), 3, 5);
  Listener listener;
  gemm(instance(), 1, A, B, 0, C);
  REQUIRE(listener.lines.size() == 1);
  CHECK(listener.lines[0].find(" a=200,1,align") != std::string::npos);
  CHECK(listener.lines[0].find(",scales3x2:1:3:0 b=5,1,align") != std::string::npos);
  CHECK(listener.lines[0].find(",e5m2 c=") != std::string::npos);
  const LoggedProduct p = listener.call(0).product;
  CHECK((p.a.scales.cols == 2 && p.b.format == Float8Format::e5m2 && p.b.scales.rows == 0));
}

TEST_CASE("a refused call has no line, and the message that it has without a log", "[log]") {
  const Kokkos::OpenMP exec = instance();
  Memory m;
  const auto A = row_major<const double>(m.a.data(), 5, 7), B = row_major<const double>(m.b.data(), 6, 7);
  const auto call = [&] { gemm(exec, 1, A, B, 0, row_major(m.c.data(), 5, 7)); };
  const std::string before = refused(call);
  Listener listener;
  CHECK(refused(call) == before);
  CHECK_FALSE(before.empty());
  const auto fused = [&] {
    gemm_fused(exec, 1, A, B.transposed(), 0, row_major(m.c.data(), 5, 6),
               epilogue::row_bias(VectorRef<double>{m.a.data(), 5}), {.kernel = Kernel::naive});
  };
  CHECK_FALSE(refused(fused).empty());
  CHECK(listener.lines.empty());
}

TEST_CASE("a line tells strides, pointers, conjugates and epilogues", "[log]") {
  const Kokkos::OpenMP exec = instance();
  Memory m;
  const auto X = row_major<const double>(m.a.data(), 4, 4), Y = row_major<const double>(m.b.data(), 4, 4);
  const auto Z = row_major(m.c.data(), 4, 4);
  Listener listener(true);
  gemm_strided_batched(exec, 1, X, 20, Y, 0, 0, Z, 16, 3);
  const LoggedProduct strided = listener.call(0).product;
  CHECK((strided.count == 3 && strided.a.every == 20 && strided.b.every == 0 && strided.c.every == 16));
  const std::vector<const double*> of_a{m.a.data(), m.a.data() + 50};
  const std::vector<double*> of_c{m.c.data() + 100, m.c.data()};
  gemm_batched(exec, 1, pointer_batch(of_a.data(), X, 2), Y, 1, pointer_batch(of_c.data(), Z, 2));
  const LoggedProduct pointers = listener.call(1).product;
  CHECK((pointers.a.pointers && !pointers.b.pointers && pointers.c.pointers && pointers.count == 2));
  CHECK((pointers.a.alignment == 8 && pointers.a.every == 0));
  gemm_fused(exec, 1, X, Y, 0, Z, epilogue::row_bias(VectorRef<double>{m.a.data(), 4}));
  CHECK((listener.call(2).name == "rooftile::gemm_fused" && listener.call(2).product.epilogue));
  std::vector<std::complex<float>> z(48);
  const auto P = matrix_ref(row_major<const std::complex<float>>(z.data(), 4, 4));
  gemm(exec, complex<float>(0, 1), P.adjoint(), P, 0, matrix_ref(row_major(z.data() + 32, 4, 4)));
  const LoggedProduct conjugated = listener.call(3).product;
  CHECK((conjugated.a.conjugated && !conjugated.b.conjugated && conjugated.a.row_stride == 1));
  CHECK((conjugated.alpha == Factor::other && conjugated.type == Type::cfp32));
  gemm_batched(exec, 1, nested_batch(X, 3, 20, 0, 5), Y, 0, nested_batch(Z, 3, 16, 0, 5));
  const LoggedProduct none = listener.call(4).product;
  CHECK((none.count == 0 && none.inner == 0 && none.a.outer == 0 && none.a.every == 5));
  for (std::size_t i = 0; i < listener.lines.size(); ++i) {
    CHECK(listener.call(i).seconds >= 0);
    CHECK(LogLine(listener.call(i)).text() == listener.lines[i]);
  }
}

TEST_CASE("a group has a line for each run of equal products", "[log]") {
  const Kokkos::OpenMP exec = instance();
  Memory m;
  std::vector<GemmArgs<double>> group;
  for (const Index size : {4, 4, 4, 5, 0, 4}) {
    const auto at = static_cast<std::ptrdiff_t>(group.size()) * 64;
    group.push_back(gemm_args(1, row_major<const double>(m.a.data(), size, size),
                              row_major<const double>(m.b.data(), size, size), 0,
                              row_major(m.c.data() + at, size, size)));
  }
  Listener listener(true);
  gemm_grouped(exec, group);
  REQUIRE(listener.lines.size() == 4);
  Index products = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const LoggedCall call = listener.call(i);
    products += call.times;
    CHECK((call.name == "rooftile::gemm_grouped" && call.group == 6));
    CHECK((call.seconds >= 0) == (i == 0));
    CHECK((call.kernel == "packed") == (call.product.shape.m > 0));
  }
  CHECK((products == 6 && listener.call(0).times == 3));
  gemm_grouped(exec, std::vector<GemmArgs<double>>{});
  CHECK(listener.lines.size() == 4);
}

TEST_CASE("threads that call at once have a line each", "[log]") {
  const Kokkos::OpenMP exec = instance();
  Listener listener;
  {
    std::vector<std::jthread> callers;
    for (Index n = 1; n <= 8; ++n) {
      callers.emplace_back([&exec, n] {
        Memory m;
        for (int i = 0; i < 50; ++i)
          gemm(exec, 1, row_major<const double>(m.a.data(), n, n), row_major<const double>(m.b.data(), n, n),
               0, row_major(m.c.data(), n, n));
      });
    }
  }
  std::vector<int> lines(9);
  for (std::size_t i = 0; i < listener.lines.size(); ++i)
    ++lines[static_cast<std::size_t>(listener.call(i).product.shape.m)];
  CHECK(lines == std::vector{0, 50, 50, 50, 50, 50, 50, 50, 50});
}

}  // namespace
}  // namespace rooftile::testing
