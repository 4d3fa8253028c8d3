// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Each allocation of a call fails in turn: the call leaves C unchanged and leaks nothing, and the next call
// works.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>

#include "cpu/caches.hpp"
#include "numerics/reference.hpp"
#include "rooftile/gemm.hpp"
#include "rooftile/ladder.hpp"
#include "tests/backends/openmp/openmp_instance.hpp"

namespace {

std::atomic<long> until_failure = 0;  // allocations; 0: none fails
std::atomic<long> alive = 0;

void* take(std::size_t bytes, std::size_t alignment) {
  if (until_failure.load() > 0 && until_failure.fetch_sub(1) == 1) throw std::bad_alloc();
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  ++alive;
  return memory;
}

void give(void* memory) noexcept {
  if (memory != nullptr) --alive;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return take(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  give(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  give(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  give(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give(memory);
}

namespace rooftile::testing {
namespace {

/// A product with as many threads as tests/backends/CMakeLists.txt sets.
template <class T>
struct Call {
  GemmShape shape;
  GemmOptions options = {};
  Index count = 1;
  std::vector<T> a = ones(count * shape.m * shape.k), b = ones(count * shape.k * shape.n),
                 c = ones(count * shape.m * shape.n);

  static std::vector<T> ones(Index elements) {
    return std::vector<T>(static_cast<std::size_t>(elements), static_cast<T>(Scalar<T>(1)));
  }

  void operator()() {
    const auto [m, n, k] = shape;
    gemm_strided_batched(instance(), 1, row_major(a.data(), m, k), m * k, column_major(b.data(), k, n), k * n,
                         1, row_major(c.data(), m, n), m * n, count, options);
  }
  /// Whether C holds the result of `calls` successful calls.
  bool has(Index calls) const {
    auto one = static_cast<T>(Scalar<T>(1));
    for (Index i = 0; i < calls; ++i) one = static_cast<T>(one + static_cast<Scalar<T>>(shape.k));
    return std::all_of(c.begin(), c.end(), [&](T x) { return x == one; });
  }
};

/// Runs f on its own thread, whose thread-local memory is freed at its end.
template <class F>
void on_own_thread(const F& f) {
  std::thread(f).join();
}

/// Makes the n-th allocation fail, for each n.
/// @return the number of allocations
template <class T>
long check_failures(Call<T> call, bool count_memory) {
  Index calls = 0;
  for (long n = 1;; ++n) {
    INFO(to_string(call.shape) << " kernel " << static_cast<int>(call.options.kernel) << ", allocation "
                               << n);
    long before = 0, after = 0, left = 0;
    bool failed = false;
    on_own_thread([&] {
      before = alive;
      until_failure = n;
      try {
        call();
      } catch (const std::bad_alloc&) {
        failed = true;
      } catch (const Error&) {
        failed = true;
      }
      left = until_failure.exchange(0);
    });
    on_own_thread([&] { after = alive; });
    calls += failed ? 0 : 1;
    CHECK(call.has(calls));
    if (count_memory) CHECK(after == before);
    CHECK(failed == (left == 0));  // each failure is reported
    on_own_thread([&] { call(); });
    CHECK(call.has(++calls));
    if (!failed) return n - 1;
    REQUIRE(n < 1000);
  }
}

TEST_CASE("the first product of a process keeps its blocks where allocations fail", "[resources]") {
  instance();
  CHECK(check_failures<float>({{300, 300, 300}}, false) >= 3);
  CHECK(check_failures<double>({{300, 300, 300}}, false) >= 3);
  // After a failed allocation, the cache size must not count as unknown: other blocks would be chosen
  // permanently.
  const auto check_blocks = []<class T>(T) {
    const TileShape tile = explain<T>(instance(), {300, 300, 300}).tile;
    CHECK(tile == portable::blocks_for(portable::cache_bytes(2, portable::usual_l2),
                                       portable::cache_bytes(3, portable::usual_l3), tile.tm, tile.tn,
                                       sizeof(T)));
  };
  check_blocks(1.0F);
  check_blocks(1.0);
}

TEMPLATE_TEST_CASE("a call whose allocation fails leaves C alone, and the next call works", "[resources]",
                   float, double, float16, bfloat16, complex<float>, complex<double>) {
  instance();
  for (const GemmShape& shape : {GemmShape{5, 6, 7},
                                 {100, 100, 100},
                                 {300, 300, 300},
                                 {64, 64, 9000},
                                 {2, 9001, 45},
                                 {1023, 1, 2048}}) {
    check_failures<TestType>({shape}, true);
    check_failures<TestType>({shape, {}, 3}, true);
  }
  for (const Kernel kernel : {Kernel::naive, Kernel::tiled_checked, Kernel::tiled_dynamic}) {
    if (rung_of(kernel).supports(own_mode<TestType>(), Path::portable))
      check_failures<TestType>({{100, 100, 100}, {.kernel = kernel}}, true);
  }
}

TEST_CASE("a thread gives back what it keeps, and takes it anew", "[resources]") {
  instance();
  on_own_thread([] {
    Call<double> call{{300, 300, 300}};
    call();  // values that are read once per process are cached now
    release_workspace(instance());
    const long without = alive;
    call();
    CHECK(alive > without);
    release_workspace(instance());
    CHECK(alive == without);
    release_workspace(instance());
    CHECK(alive == without);
    CHECK(call.has(2));
  });
}

TEST_CASE("a refusal without memory for its message still throws", "[resources]") {
  instance();
  std::vector<float> c(16, 7);
  for (long n = 1; n < 40; ++n) {
    bool heard = false;
    until_failure = n;
    try {
      gemm(instance(), 1, row_major<const float>(c.data(), 4, 4), row_major<const float>(c.data(), 4, 4), 0,
           row_major(c.data(), 4, 4), {.kernel = static_cast<Kernel>(999)});
    } catch (const std::bad_alloc&) {
      heard = true;
    } catch (const Error&) {
      heard = true;
    }
    until_failure = 0;
    CHECK(heard);
  }
  CHECK(c == std::vector<float>(16, 7));
}

TEST_CASE("in a parallel region one thread's failure is its own", "[resources]") {
  instance();
  for (long n = 1; n < 6; ++n) {
    std::vector<Call<float>> calls(4, Call<float>{{200, 200, 200}});
    std::vector<int> failed(4, 0);
#pragma omp parallel num_threads(4)
    {
      const auto i = static_cast<std::size_t>(omp_get_thread_num());
#pragma omp single
      until_failure = n;
      try {
        calls[i]();
      } catch (const std::bad_alloc&) {
        failed[i] = 1;
      }
    }
    until_failure = 0;
    int failures = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      CHECK(calls[i].has(1 - failed[i]));
      failures += failed[i];
    }
    CHECK(failures <= 1);
    for (Call<float>& call : calls) {  // once more, all threads
      const Index calls_before = call.has(1) ? 1 : 0;
      call();
      CHECK(call.has(calls_before + 1));
    }
  }
}

}  // namespace
}  // namespace rooftile::testing
