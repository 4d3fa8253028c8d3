// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "fused_products.hpp"

#include <functional>
#include <random>
#include <vector>

#include <Kokkos_Core.hpp>

#include "rooftile/fused.hpp"

namespace rooftile::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
template <class T>
using Elements = Kokkos::View<T*, Memory>;

template <class V>
KOKKOS_FUNCTION V number(Index re, Index im = 0) {
  if constexpr (detail::is_complex<V>) {
    return {static_cast<Real<V>>(re), static_cast<Real<V>>(im)};
  } else {
    return static_cast<V>(re);
  }
}

/// 2·value + 8·i + j, and a mark for each call. No View in it: of Kokkos 4.6.99's, which has members without
/// an address of their own, nvcc 13 and g++ lay out what is beside it in a struct in two ways.
template <class V>
struct Probe {
  int* calls;
  Index cols;

  KOKKOS_FUNCTION V operator()(Index i, Index j, V value) const {
    Kokkos::atomic_inc(&calls[i * cols + j]);
    return value + value + number<V>(8 * i + j);
  }
};

/// A matrix of a layout, on the device and on the host.
template <class T>
struct Both {
  Elements<T> memory;
  Kokkos::View<T*, Kokkos::HostSpace> host;
  MatrixRef<T> there, here;

  Both(Index rows, Index cols, unsigned layout, const std::function<Index()>& draw)
      : memory("matrix", static_cast<std::size_t>(2 * (rows + 3) * (cols + 3))),
        host("on the host", memory.size()) {
    for (std::size_t i = 0; i < host.size(); ++i) host(i) = static_cast<T>(number<Scalar<T>>(draw(), draw()));
    Kokkos::deep_copy(memory, host);
    const auto lay = [&](T* data) -> MatrixRef<T> {
      if (layout == 0) return row_major(data, rows, cols);
      if (layout == 1) return column_major(data, rows, cols);
      if (layout == 2) return row_major(data + 1, rows, cols, cols + 3);
      return {data, rows, cols, 2 * (cols + 1), 2};
    };
    there = lay(memory.data()), here = lay(host.data());
  }
};

template <class T>
std::string fuse(const Exec& exec, std::mt19937_64& bits, const GemmShape& shape) {
  using V = Scalar<T>;
  const auto [m, n, k] = shape;
  const auto draw = [&] { return static_cast<Index>(bits() % 5) - 2; };
  const auto layout = [&] { return static_cast<unsigned>(bits() % 4); };
  Both<T> A(m, k, layout(), draw), B(k, n, layout(), draw), C(m, n, layout(), draw), D(m, n, layout(), draw),
      r(1, m, 0, draw);
  const V alpha = number<V>(draw(), draw()), beta = number<V>(bits() % 2 == 0 ? 0 : draw());
  if constexpr (detail::is_complex<T>) {
    if (bits() % 2 == 0) A.there = A.there.conjugated(), A.here = A.here.conjugated();
  }
  std::vector<V> expected;  // (m,n)
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      V sum = number<V>(0);
      for (Index l = 0; l < k; ++l) {
        detail::multiply_add(sum, static_cast<V>(A.here.value(i, l)), static_cast<V>(B.here(l, j)));
      }
      V value = alpha * sum + beta * static_cast<V>(C.here(i, j));
      value = value * static_cast<V>(r.here(0, i)) + number<V>(2) * static_cast<V>(D.here(i, j));
      expected.push_back(static_cast<V>(static_cast<T>(value + value + number<V>(8 * i + j))));
    }
  }
  const Kokkos::View<int*, Memory> calls("calls", static_cast<std::size_t>(m * n));
  gemm_fused(exec, alpha, A.there, B.there, beta, C.there,
             epilogue::chain(epilogue::row_scale(VectorRef<T>{r.there.data, m}),
                             epilogue::plus(number<V>(2), D.there), Probe<V>{calls.data(), n}));
  exec.fence();
  Kokkos::deep_copy(C.host, C.memory);
  const auto counted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(i * n + j);
      if (counted(at) == 1 && static_cast<V>(C.here(i, j)) == expected[at]) continue;
      return detail::text(to_string(type_of<T>()), ' ', to_string(shape), " at ", i, ',', j, ": ",
                          counted(at), " calls, ", static_cast<V>(C.here(i, j)), " instead of ",
                          expected[at]);
    }
  }
  return {};
}

}  // namespace

FusedProducts fuse_products(int of_each_type) {
  const Kokkos::ScopeGuard kokkos;
  const Exec exec;
  FusedProducts found;
  std::mt19937_64 bits(20261124);
  for_each_element([&]<class T>() {
    for (int i = 0; i < of_each_type && found.fault.empty(); ++i) {
      const auto extent = [&](Index most) {
        return 1 + static_cast<Index>(bits() % static_cast<std::uint64_t>(most));
      };
      const Index most = i % 8 == 0 ? 300 : 90;
      found.fault = fuse<T>(exec, bits, {extent(most), extent(most), i % 10 == 0 ? 0 : extent(most)});
      ++found.computed;
    }
  });
  return found;
}

}  // namespace rooftile::testing
