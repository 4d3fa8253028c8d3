// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "launched_products.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include <Kokkos_Core.hpp>

#include "rooftile/fused.hpp"
#include "rooftile/gemm.hpp"
#include "tests/support/random_products.hpp"
#include "tests/support/refused.hpp"

namespace rooftile::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
constexpr bool on_cpu = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

/// Records the names of all launches while the object exists.
class Launches {
 public:
  Launches() {
    names().clear();
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
        [](const char* name, std::uint32_t, std::uint64_t*) { names().insert(name); });
  }
  ~Launches() { Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr); }
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  static std::set<std::string>& names() {
    static std::set<std::string> seen;
    return seen;
  }
};

/// The launches that a plan names.
std::set<std::string> launches_of(const GemmPlan& plan) {
  const std::string kernel = "rooftile::" + std::string(rung_of(plan.kernel).name);
  const bool tma = rung_of(plan.kernel).tma;
  if (plan.single_threaded) return {};
  if (tma && plan.desc.shape.k == 0) return {kernel + "_sum"};
  std::set<std::string> names{kernel};
  if ((plan.repack || tma) && (plan.a.repack || plan.b.repack)) names.insert("rooftile::repack");
  if (plan.stream.shared > 0 || (tma && plan.split_k > 1)) names.insert(kernel + "_sum");
  return names;
}

std::string text_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + ' ';
  return text;
}

template <class T>
void explain_some(int products, Explained& found) {
  const Index elements = on_cpu ? 1 << 18 : 1 << 22;
  const Kokkos::View<T*, Memory> a("a", elements), b("b", elements), c("c", elements);
  RandomProducts<T> random(20261122 + static_cast<int>(type_of<T>()), a.data(), b.data(), c.data(), elements);
  const Exec exec;
  const int until = found.computed + products;
  for (int i = 0; found.computed < until && found.fault.empty(); ++i) {
    const BatchArgs<T> args = random.draw();
    const double flops = args.shape().flops() * static_cast<double>(args.batch.count);
    if (on_cpu && flops > (i % 16 == 0 ? 2e7 : 1e6)) continue;  // few are for several threads
    const GemmOptions options = random.options();
    GemmPlan plan;
    std::set<std::string> launched;
    const std::string refusal = refused([&] { plan = detail::explain(exec, args, options); });
    const std::string refusal_of_gemm = refused([&] {
      const Launches launches;
      detail::gemm(exec, args, options);
      launched = Launches::names();
    });
    const std::string product = detail::text(to_string(type_of<T>()), " number ", i, ", ", args.batch.count,
                                             " of ", to_string(args.shape()), ": ");
    if (refusal != refusal_of_gemm) {
      found.fault = product + "explain says \"" + refusal + "\", gemm \"" + refusal_of_gemm + '"';
    } else if (!refusal.empty()) {
      ++found.refused;
    } else if (launched != launches_of(plan)) {
      found.fault = product + text_of(launched) + "instead of " + text_of(launches_of(plan));
    } else {
      ++found.computed;
      const Launches launches;
      detail::run(plan, exec, args);
      if (Launches::names() != launched) found.fault = product + "run does otherwise than gemm";
    }
    exec.fence();
  }
}

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

/// Returns 2·value + 50·entry + 8·i + j and counts each call. Contains no View: Kokkos 4.6.99's Views have
/// members without an address of their own, and nvcc 13 and g++ lay out a struct that contains one
/// differently.
template <class V>
struct EntryProbe {
  int* calls;           // of all entries, one after the other
  const Index* begins;  // of each entry's calls
  const Index* cols;    // of each entry's C

  KOKKOS_FUNCTION V operator()(Index entry, Index i, Index j, V value) const {
    Kokkos::atomic_inc(&calls[begins[entry] + i * cols[entry] + j]);
    return changed(entry, i, j, value);
  }
  KOKKOS_FUNCTION static V changed(Index entry, Index i, Index j, V value) {
    return value + value + number<V>(50 * entry + 8 * i + j);
  }
};

/// Copies host values to the device.
template <class T>
Kokkos::View<T*, Memory> copied(const std::vector<T>& numbers) {
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      numbers.data(), numbers.size());
  const Kokkos::View<T*, Memory> device("numbers", numbers.size());
  Kokkos::deep_copy(device, host);
  return device;
}

/// A matrix with a random layout, on the device and on the host.
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

/// A batch of matrices with one layout: at equal distances, or by pointers in a shuffled order.
template <class T>
struct BothBatches {
  std::vector<Both<T>> all;
  std::vector<T*> addresses;
  Kokkos::View<T**, Kokkos::LayoutLeft, Memory> memory;  // (elements,count)
  Kokkos::View<char*, Memory> pointers;                  // bytes: View<T**> would count the asterisk
  BatchRef<T> there;

  BothBatches(Index rows, Index cols, Index count, bool by_pointers, std::mt19937_64& bits,
              const std::function<Index()>& draw) {
    const auto layout = static_cast<unsigned>(bits() % 4);
    for (Index e = 0; e < count; ++e) all.emplace_back(rows, cols, layout, draw);
    const std::size_t each = all[0].host.size();
    memory = Kokkos::View<T**, Kokkos::LayoutLeft, Memory>("matrices", each, static_cast<std::size_t>(count));
    upload();
    const MatrixRef<T> first = all[0].there.at(memory.data() + (all[0].there.data - all[0].memory.data()));
    there = {first, static_cast<Index>(each), count};
    if (!by_pointers) return;
    std::shuffle(all.begin(), all.end(), bits);
    for (const Both<T>& one : all) addresses.push_back(one.there.data);
    const std::size_t bytes = addresses.size() * sizeof(T*);
    pointers = Kokkos::View<char*, Memory>("pointers", bytes);
    Kokkos::deep_copy(pointers,
                      Kokkos::View<const char*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                          reinterpret_cast<const char*>(addresses.data()), bytes));
    there = pointer_batch(reinterpret_cast<T* const*>(pointers.data()), first, count);
  }
  void upload() const {
    for (std::size_t e = 0; e < all.size(); ++e)
      Kokkos::deep_copy(Kokkos::subview(memory, Kokkos::ALL, e), all[e].memory);
  }
  /// For C: copies the result to the host.
  void download() const {
    for (std::size_t e = 0; e < all.size(); ++e) {
      if (addresses.empty()) Kokkos::deep_copy(all[e].memory, Kokkos::subview(memory, Kokkos::ALL, e));
      Kokkos::deep_copy(all[e].host, all[e].memory);
    }
  }
  void conjugate() {
    there = there.conjugated();
    for (Both<T>& one : all) one.here = one.here.conjugated();
  }
  MatrixRef<T> here(Index e) const { return all[static_cast<std::size_t>(e)].here; }
};

/// alpha·A·B + beta·C by the definition. Shape (m,n).
template <class T>
std::vector<Scalar<T>> values_of(Scalar<T> alpha, const MatrixRef<T>& A, const MatrixRef<T>& B,
                                 Scalar<T> beta, const MatrixRef<T>& C) {
  using V = Scalar<T>;
  std::vector<V> values;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      V sum = number<V>(0);
      for (Index l = 0; l < A.cols; ++l)
        detail::multiply_add(sum, static_cast<V>(A.value(i, l)), static_cast<V>(B.value(l, j)));
      values.push_back(alpha * sum + beta * static_cast<V>(C.value(i, j)));
    }
  }
  return values;
}

/// Describes the first element of C that is wrong or was not passed to the epilogue exactly once. Empty if
/// there is none.
template <class T, class Counts>
std::string fault_of(const MatrixRef<T>& C, const std::vector<Scalar<T>>& expected, const Counts& calls,
                     Index begin, Index entry) {
  using V = Scalar<T>;
  for (Index i = 0; i < C.rows; ++i) {
    for (Index j = 0; j < C.cols; ++j) {
      const auto at = static_cast<std::size_t>(i * C.cols + j);
      const int count = calls(static_cast<std::size_t>(begin) + at);
      const V found = static_cast<V>(C.value(i, j));
      if (count == 1 && found == expected[at]) continue;
      return detail::text(to_string(type_of<T>()), ", entry ", entry, ", at ", i, ',', j, " of ", C.rows, 'x',
                          C.cols, ": ", count, " calls, ", found, " instead of ", expected[at]);
    }
  }
  return {};
}

/// Computes a batch or a single product with an epilogue that combines all kinds of parts.
template <class T>
std::string fuse(const Exec& exec, std::mt19937_64& bits, const GemmShape& shape, Index count) {
  using V = Scalar<T>;
  const auto [m, n, k] = shape;
  const auto draw = [&] { return static_cast<Index>(bits() % 5) - 2; };
  const auto coin = [&] { return bits() % 2 == 0; };
  const auto by_pointers = [&] { return count > 1 && coin(); };
  BothBatches<T> A(m, k, count, by_pointers(), bits, draw), B(k, n, count, by_pointers(), bits, draw),
      C(m, n, count, by_pointers(), bits, draw), D(m, n, count, by_pointers(), bits, draw),
      r(1, m, count, false, bits, draw);
  if constexpr (detail::is_complex<T>) {
    if (coin()) A.conjugate();
    if (coin()) C.conjugate();
  }
  const V alpha = number<V>(1 + (draw() & 1), draw()), beta = number<V>(coin() ? 0 : draw());
  std::vector<std::vector<V>> expected;
  std::vector<Index> begins, cols(static_cast<std::size_t>(count), n);
  for (Index e = 0; e < count; ++e) {
    begins.push_back(e * m * n);
    std::vector<V> values = values_of<T>(alpha, A.here(e), B.here(e), beta, C.here(e));
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        V& value = values[static_cast<std::size_t>(i * n + j)];
        value = value * static_cast<V>(r.here(e)(0, i)) + number<V>(2) * static_cast<V>(D.here(e)(i, j));
        value = static_cast<V>(static_cast<T>(EntryProbe<V>::changed(e, i, j, value)));
      }
    }
    expected.push_back(values);
  }
  const Kokkos::View<int*, Memory> calls("calls", static_cast<std::size_t>(count * m * n));
  const auto begins_there = copied(begins), cols_there = copied(cols);
  const VectorBatch<T> scales{{r.there.first.data, m, r.there.first.col_stride}, r.there.stride, count};
  const auto last = EntryProbe<V>{calls.data(), begins_there.data(), cols_there.data()};
  const auto how = epilogue::chain(epilogue::row_scale(scales), epilogue::plus(number<V>(2), D.there), last);
  if (count == 1) {
    gemm_fused(exec, alpha, A.there.first, B.there.first, beta, C.there.first, how);
  } else {
    gemm_batched_fused(exec, alpha, A.there, B.there, beta, C.there, how);
  }
  exec.fence();
  C.download();
  const auto counted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls);
  std::string fault;
  for (Index e = 0; e < count && fault.empty(); ++e)
    fault = fault_of<T>(C.here(e), expected[static_cast<std::size_t>(e)], counted,
                        begins[static_cast<std::size_t>(e)], e);
  return fault;
}

template <class T>
std::string fuse_group(const Exec& exec, std::mt19937_64& bits, Index count) {
  using V = Scalar<T>;
  const auto draw = [&] { return static_cast<Index>(bits() % 5) - 2; };
  const auto extent = [&] { return static_cast<Index>(bits() % 70); };
  const auto layout = [&] { return static_cast<unsigned>(bits() % 4); };
  std::vector<Both<T>> As, Bs, Cs;
  std::vector<GemmArgs<T>> group;
  std::vector<std::vector<V>> expected;
  std::vector<Index> begins, cols;
  Index size = 0;
  for (Index e = 0; e < count; ++e) {
    const auto [m, n, k] = GemmShape{extent(), extent(), extent()};
    As.emplace_back(m, k, layout(), draw), Bs.emplace_back(k, n, layout(), draw);
    Cs.emplace_back(m, n, layout(), draw);
    const V alpha = number<V>(draw(), draw()), beta = number<V>(draw());
    group.push_back({alpha, As.back().there, Bs.back().there, beta, Cs.back().there});
    expected.push_back(values_of<T>(alpha, As.back().here, Bs.back().here, beta, Cs.back().here));
    for (Index at = 0; at < m * n; ++at) {
      V& value = expected.back()[static_cast<std::size_t>(at)];
      value = static_cast<V>(static_cast<T>(EntryProbe<V>::changed(e, at / n, at % n, value)));
    }
    begins.push_back(size), cols.push_back(n), size += m * n;
  }
  const Kokkos::View<int*, Memory> calls("calls", static_cast<std::size_t>(size));
  const auto begins_there = copied(begins), cols_there = copied(cols);
  gemm_grouped_fused(exec, group, EntryProbe<V>{calls.data(), begins_there.data(), cols_there.data()});
  exec.fence();
  const auto counted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), calls);
  std::string fault;
  for (std::size_t e = 0; e < Cs.size() && fault.empty(); ++e) {
    Kokkos::deep_copy(Cs[e].host, Cs[e].memory);
    fault = fault_of<T>(Cs[e].here, expected[e], counted, begins[e], static_cast<Index>(e));
  }
  return fault;
}

}  // namespace

bool has_device() {
#ifdef KOKKOS_ENABLE_CUDA
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
#elif defined(KOKKOS_ENABLE_HIP)
  int count = 0;
  return hipGetDeviceCount(&count) == hipSuccess && count > 0;
#else
  return true;
#endif
}

Explained explain_products(int computed) {
  const Kokkos::ScopeGuard kokkos;
  Explained found;
  explain_some<float>(computed / 4, found);
  explain_some<double>(computed / 4, found);
  explain_some<float16>(computed / 4, found);
  explain_some<bfloat16>(computed / 4, found);
  return found;
}

FusedProducts fuse_products(int of_each_type) {
  const Kokkos::ScopeGuard kokkos;
  const Exec exec;
  FusedProducts found;
  std::mt19937_64 bits(20261124);
  const auto extent = [&](Index most) {
    return 1 + static_cast<Index>(bits() % static_cast<std::uint64_t>(most));
  };
  for_each_element([&]<class T>() {
    for (int i = 0; i < of_each_type && found.fault.empty(); ++i) {
      const bool batch = i % 4 == 0;
      const Index most = i % 8 == 0 ? 70 : batch ? 24 : i % 7 == 0 ? 300 : 90;
      found.fault = fuse<T>(exec, bits, {extent(most), extent(most), i % 10 == 0 ? 0 : extent(most)},
                            batch ? extent(20) : 1);
      ++found.computed;
    }
  });
  // Two types, because each type compiles its kernels: one with matrix instructions and one without.
  const auto groups = [&]<class T>(std::type_identity<T>) {
    for (int i = 0; i < of_each_type / 12 && found.fault.empty(); ++i)
      found.fault = fuse_group<T>(exec, bits, extent(20)), ++found.groups;
  };
  groups(std::type_identity<float>()), groups(std::type_identity<double>());
  return found;
}

}  // namespace rooftile::testing
