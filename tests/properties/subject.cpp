// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "subject.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "numerics/reference.hpp"
#include "operand.hpp"
#include "perf/parse.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "rooftile/find_kernel.hpp"
#include "tests/support/pointers.hpp"

namespace rooftile::testing {
namespace {

/// The elements (rows,cols) that `Loops::fill` writes, in row-major order.
template <class T>
std::vector<T> elements(Index rows, Index cols, const Values& values) {
  std::vector<T> all;
  for (Index x = 0; x < rows * cols; ++x) all.push_back(value_at<T>(values, x));
  return all;
}

/// Compares the definition, computed on the device, with the library's reference.
template <class T>
std::string fault_of(const GemmShape& shape, double alpha, double beta) {
  const auto [m, n, k] = shape;
  const std::size_t bytes = std::size_t{1} << 16;
  const Block blocks[] = {Block(bytes), Block(bytes), Block(bytes), Block(bytes)};
  const int largest = largest_value<T>(k);
  const Values values[] = {{1, largest}, {2, largest}, {3, largest}};
  Operand<In<T>> a(m, k, {}, {Storage::column, 3, 1}, blocks[0], blocks[3], true);
  Operand<In<T>> b(k, n, {}, {Storage::reversed, 2, 5}, blocks[1], blocks[3], true);
  Operand<Out<T>> c(m, n, {}, {Storage::strided, 1, 2}, blocks[2], blocks[3], true);
  a.fill(true, values[0]), b.fill(true, values[1]), c.fill(beta != 0, values[2]);
  const auto x = static_cast<Scalar<T>>(alpha), y = static_cast<Scalar<T>>(beta);
  multiply<T>({{x, a.all().first, b.all().first, y, c.all().first}, {}});

  const std::vector<In<T>> a_host = elements<In<T>>(m, k, values[0]),
                           b_host = elements<In<T>>(k, n, values[1]);
  std::vector<Out<T>> c_host = elements<Out<T>>(m, n, values[2]), found;
  const MatrixRef<Out<T>> C = c.all().first;
  for (Index i = 0; i < m * n; ++i) found.push_back(Loops<Out<T>>::value(&C(i / n, i % n)));
  const Reference<T> reference(
      {x, row_major(a_host.data(), m, k), row_major(b_host.data(), k, n), y, row_major(c_host.data(), m, n)});
  const Verification worst = reference.compare_exact(row_major<const Out<T>>(found.data(), m, n));
  if (worst.passed()) return {};
  return detail::text("the definition of ", to_string(shape), " in ", to_string(own_mode<T>()),
                      " is not the reference at (", worst.row, ", ", worst.col, ")");
}

/// A path's kernels on a device, for each rung, tile and mode, and the library's automatic choices.
template <class T>
std::vector<perf::Candidate<T>> kernels_of(perf::Machine& machine, const perf::Device& device,
                                           std::string_view path) {
  std::vector<perf::Candidate<T>> kernels;
  for (const perf::Candidate<T>& c : machine.candidates<T>()) {
    if (c.device != &device || c.path != path) continue;
    // Kernels of other devices or paths refuse every product. tests/rooftile tests them.
    static In<T> factors[2] = {};
    static Out<T> result = {};
    const GemmArgs<T> least{1, row_major<const In<T>>(factors, 1, 1),
                            row_major<const In<T>>(factors + 1, 1, 1), 0, row_major(&result, 1, 1)};
    const Reason lack = c.refusal(least).code;
    if (lack != Reason::path && lack != Reason::hardware && lack != Reason::mode &&
        lack != Reason::instructions)
      kernels.push_back(c);
  }
  return kernels;
}

template <class T>
KernelName name_of(const perf::Candidate<T>& kernel) {
  KernelName name{kernel.kernel, kernel.tile, kernel.math};
  if (kernel.kernel != "automatic") {
    const Rung& rung = rung_of(find_named(kernel.kernel).kernel);
    name.fits = rung.fits;
    if (rung.tiles.empty()) name.tile.clear();  // another device has another tile
  }
  const auto extents = std::count(kernel.tile.begin(), kernel.tile.end(), 'x');
  if (extents == 1) name.tile_shape = perf::parse_shape(kernel.tile + "x1");
  if (extents == 2) name.tile_shape = perf::parse_shape(kernel.tile);
  return name;
}

/// A batch as the case specifies: strided, or by an array of pointers that ends at a fence.
template <class T>
BatchRef<T> given_as(const Placing& placing, const BatchRef<T>& strided, const Block& memory) {
  if (!placing.pointers || strided.count == 0) return strided;
  const std::vector<T*> addresses = pointers_to(strided);
  const Index room = memory.end<T*>() - memory.begin<T*>();
  if (strided.count > room)
    throw Error(detail::text("case has too many pointers (", strided.count, "): take ", room, " at most"));
  T** const pointers = memory.end<T*>() - strided.count;
  copy_bytes(pointers, addresses.data(), addresses.size() * sizeof(T*));
  return pointer_batch(pointers, strided.first, strided.count, alignment_of(addresses));
}

/// The matrices in the order of the case, at equal distances.
template <class T>
BatchRef<T> strided_as(const Placing& placing, const BatchRef<T>& strided) {
  return placing.pointers && strided.count > 0 ? reversed(strided) : strided;
}

/// The products of a group, each within a batch entry.
template <class T>
std::vector<GemmArgs<T>> group_in(const BatchArgs<T>& args) {
  std::vector<GemmArgs<T>> group;
  for (Index i = 0; i < args.batch.count; ++i) {
    GemmArgs<T> product = args.product(i);
    const auto [m, n, k] = shape_in_group(args.shape(), i);
    product.A.rows = product.C.rows = m;
    product.A.cols = product.B.rows = k;
    product.B.cols = product.C.cols = n;
    group.push_back(product);
  }
  return group;
}

/// Computes C by the definition.
template <class T>
void define(const BatchArgs<T>& args, bool is_group) {
  if (!is_group) {
    for_each_part(args, std::max<Index>(args.batch.count, 1), [](const BatchArgs<T>& part) {
      multiply<T>({part.first, part.batch});
    });
    return;
  }
  for (const GemmArgs<T>& product : group_in(args)) {
    if (product.C.rows > 0 && product.C.cols > 0) multiply<T>({product, {}});
  }
}

}  // namespace

std::string definition_fault() {
  std::string fault;
  perf::for_each_product_type([&]<class T>() {
    for (const GemmShape shape : {GemmShape{1, 1, 1}, {9, 13, 100}, {5, 3, 0}}) {
      for (const double alpha : {1.0, -1.0, 0.5, 0.0}) {
        for (const double beta : {0.0, 2.0}) {
          if (fault.empty()) fault = fault_of<T>(shape, alpha, beta);
        }
      }
    }
  });
  return fault;
}

Subject::Subject(perf::Machine& machine, perf::Device& device, std::string path)
    : device_(device), path_(std::move(path)), blocks_(limits()) {
  perf::for_each_product_type([&]<class T>() {
    auto& own = std::get<perf::Candidates<T>>(candidates_);
    own = kernels_of<T>(machine, device, path_);
    for (const auto& kernel : own) kernels_.push_back(name_of(kernel));
  });
}

void Subject::keep(const std::string& kernel) {
  std::erase_if(kernels_, [&](const KernelName& x) { return x.kernel != kernel; });
  if (kernels_.empty())
    throw Error(detail::text("no such kernel here (", kernel, "): take one that this path and device have"));
}

Verdict Subject::try_case(const Case& c) {
  Verdict verdict{Verdict::absent};
  perf::for_each_product_type([&]<class T>() {
    if (is_mode_of<T>(c.math)) verdict = try_case_of<T>(c);
  });
  return verdict;
}

template <class T>
Verdict Subject::try_case_of(const Case& c) {
  const auto& own = std::get<perf::Candidates<T>>(candidates_);
  const auto kernel = std::find_if(own.begin(), own.end(), [&](const perf::Candidate<T>& x) {
    return c.path == path_ && x.kernel == c.kernel && x.math == c.math &&
           (c.tile.empty() ? x.default_tile : x.tile == c.tile);
  });
  if (kernel == own.end()) return {Verdict::absent};

  const auto [m, n, k] = c.shape;
  const Entries entries{c.count, c.inner};
  const auto placed = [](const Placing& placing) { return fenced() ? placing : guarded(placing); };
  Operand<In<T>> a(m, k, entries, placed(c.a), blocks_.a, blocks_.expected_a, c.nan);
  Operand<In<T>> b(k, n, entries, placed(c.b), blocks_.b, blocks_.expected_b, c.nan);
  Operand<Out<T>> result(m, n, entries, placed(c.c), blocks_.c, blocks_.expected_c, c.nan);
  const int largest = largest_value<T>(k);
  a.fill(c.alpha != 0, {3 * c.seed, largest});
  b.fill(c.alpha != 0, {3 * c.seed + 1, largest});
  result.fill(c.beta != 0, {3 * c.seed + 2, largest});

  const auto scalar = [](complex<double> x) {
    if constexpr (detail::is_complex<Scalar<T>>) {
      return Scalar<T>(x);
    } else {
      return static_cast<Scalar<T>>(x.re);
    }
  };
  using Factor = BatchRef<In<T>>;
  const auto args_for = [&](const Factor& A, const Factor& B, const BatchRef<Out<T>>& C) {
    return detail::batch_args<T>(scalar(c.alpha), A, B, scalar(c.beta), C);
  };
  const BatchArgs<T> args =
      args_for(given_as(c.a, a.all(), blocks_.pointers_a), given_as(c.b, b.all(), blocks_.pointers_b),
               given_as(c.c, result.all(), blocks_.pointers_c));
  if (c.group && !kernel->group) return {Verdict::refused};
  const std::vector<GemmArgs<T>> group = c.group ? group_in(args) : std::vector<GemmArgs<T>>{};
  const Refusal refusal = c.group ? Refusal{} : kernel->refusal(args);
  const bool refused = !refusal.empty();
  std::string fault;
  device_.seconds([&] {
    try {
      for (int i = 0; i < c.times; ++i) c.group ? kernel->group(group)() : kernel->launch(args);
      if (refused && m > 0 && n > 0 && c.count > 0) fault = "ran, but said: " + refusal.text;
    } catch (const Error& error) {
      if (!refused) fault = std::string("threw: ") + error.what();
    }
  });
  if (!refused) {
    BatchRef<Out<T>> expected = result.all();
    expected.first = result.expected();
    const BatchArgs<T> strided =
        args_for(strided_as(c.a, a.all()), strided_as(c.b, b.all()), strided_as(c.c, expected));
    define(strided, c.group);
  }
  for (const std::string& wrong : {result.fault("C"), a.fault("A"), b.fault("B")}) {
    if (fault.empty()) fault = wrong;
  }
  return {refused ? Verdict::refused : Verdict::computed, fault};
}

}  // namespace rooftile::testing
