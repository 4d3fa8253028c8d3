// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cpu/blocks.hpp"
#include "cpu/driver.hpp"
#include "cpu/five_loops.hpp"
#include "cpu/int8_dot.hpp"
#include "cpu/workspace.hpp"
#include "numerics/guard.hpp"
#include "numerics/parts.hpp"
#include "numerics/reconstruct.hpp"
#include "numerics/residue.hpp"
#include "plan/plan.hpp"
#include "plan/residue_blocks.hpp"
#include "rooftile/types.hpp"

/// fp64 products, real and complex, from exact int8 products (docs/numerics.md). Only `residues_*.cpp`
/// include this file.
namespace rooftile::portable {

/// The parts of a thread's workspace.
class ResidueWorkspace : public detail::WorkspaceParts {
 public:
  ResidueWorkspace(const detail::ResidueBlocks& blocks, void* memory) {
    hold(memory);
    const auto part = [&]<class T>(T*& to, Index elements) {
      to = take<T>(static_cast<std::size_t>(elements) * sizeof(T));
    };
    part(a, blocks.parts * blocks.elements_a()), part(b, blocks.parts * blocks.elements_b());
    part(residues_a, blocks.elements_a()), part(residues_b, blocks.elements_b());
    part(packed_a, blocks.packed_a()), part(packed_b, blocks.packed_b());
    part(sums, blocks.elements_c()), part(residues_c, blocks.planes() * blocks.elements_c());
  }

  double *a, *b;                         ///< integers of the panel, (parts,rows,kc) and (parts,columns,kc)
  std::int8_t *residues_a, *residues_b;  ///< of one product modulo one modulus
  std::int32_t *packed_a, *packed_b;     ///< residues_a and residues_b as micropanels
  std::int32_t* sums;                    ///< (rows,columns)
  std::int8_t* residues_c;               ///< (moduli,products,rows,columns)
};

/// Rows of A, or columns of B as rows of its transpose, with a scale for each.
template <class T>
struct ScaledRows {
  MatrixRef<const T> X;
  residues::RowScale* scales;

  /// The exponent of the power of two that scales row i to integers. @param limit  4^β'
  int exponent(Index i, double limit) const { return residues::scaling_exponent(scales[i], limit); }
};

/// A product with scales for the rows of A and the columns of B.
template <class T>
struct ResidueProduct {
  GemmArgs<T> args;
  ScaledRows<T> a, b;
  detail::ResidueBlocks blocks;
  int width_a, width_b;  ///< MR and NR

  void* memory;  ///< the workspaces, one after another
};

/// Finds the scales of some rows. The rows of A come before those of B.
template <class T>
struct FindScales {
  ScaledRows<T> a, b;
  Index parts;

  void operator()(Index part_number) const {
    const Range mine = part(a.X.rows + b.X.rows, 1, parts, part_number);
    for (Index i = mine.begin; i < mine.end; ++i) {
      const bool in_a = i < a.X.rows;
      const ScaledRows<T>& of = in_a ? a : b;
      const Index row = in_a ? i : i - a.X.rows;
      of.scales[row] = residues::scale_of_row(of.X, row);
    }
  }
};

/// The products of a panel modulo modulus i. Every number of moduli shares this code.
template <class T, int i>
struct ModularProduct {
  const ResidueProduct<T>& product;
  const ResidueWorkspace& space;

  /// Adds the products to the residues of a block of C.
  void add(Index rows, Index columns, Index kc) const {
    constexpr int products = residues::product_count<T>;
    for (int n = 0; n < products; ++n) {
      const auto a = packed(n, space.a, rows, kc, product.width_a, space.residues_a, space.packed_a);
      const auto b = packed(n, space.b, columns, kc, product.width_b, space.residues_b, space.packed_b);
      multiply_integers(a, b, kc, row_major(space.sums, rows, columns), 1, 0);
      const Index elements = rows * columns;
      std::int8_t* const c = space.residues_c + (i * products + n) * elements;
      for (Index e = 0; e < elements; ++e) c[e] = residues::residue<i>(space.sums[e] + c[e]);
    }
  }

 private:
  /// The int8 factor of product n.
  static std::int8_t factor(int n, const double* integer, Index apart) {
    const auto part = [&](int p) { return residues::residue<i>(residues::split(integer[p * apart])); };
    if constexpr (residues::product_count<T> == 1) return part(0);
    return static_cast<std::int8_t>(residues::factor_of(n, part(0), part(1), residues::modulus<i>.p));
  }

  /// Packs the factors of product n as micropanels.
  /// @param integers  (parts,rows,kc)
  static Micropanels<std::int32_t> packed(int n, const double* integers, Index rows, Index kc, int width,
                                          std::int8_t* modulo, std::int32_t* memory) {
    const Index elements = rows * kc;
    for (Index e = 0; e < elements; ++e) modulo[e] = factor(n, integers + e, elements);
    pack_integers(row_major<const std::int8_t>(modulo, rows, kc), width, 0, ceil_div(rows, Index{width}),
                  memory);
    return {{memory, 1, width}, integers_size(width, kc), true, false};
  }
};

/// Computes some blocks of C with s moduli.
template <class T, int s>
struct ComputeBlocks {
  ResidueProduct<T> product;
  Index parts;

  void operator()(Index part_number) const {
    const detail::ResidueBlocks& blocks = product.blocks;
    const ResidueWorkspace space(
        blocks, static_cast<char*>(product.memory) + static_cast<std::size_t>(part_number) * blocks.bytes());
    const Range mine = part(blocks.count_m() * blocks.count_n(), 1, parts, part_number);
    const MatrixRef<T>& C = product.args.C;
    const auto range = [](Index number, Index width, Index extent) {
      return Range{number * width, std::min((number + 1) * width, extent)};
    };
    for (Index i = mine.begin; i < mine.end; ++i) {
      compute(range(i % blocks.count_m(), blocks.max_rows, C.rows),
              range(i / blocks.count_m(), blocks.columns, C.cols), space);
    }
  }

 private:
  static constexpr double limit = residues::remainders<s>.squared_limit;
  static constexpr int parts_of_element = residues::part_count<T>, products = residues::product_count<T>;

  void compute(Range rows, Range columns, const ResidueWorkspace& space) const {
    const Index k = product.args.A.cols;
    std::fill_n(space.residues_c, s * products * rows.size() * columns.size(), std::int8_t{0});
    for (Index k0 = 0; k0 < k; k0 += detail::ResidueBlocks::max_k) {
      const Range panel{k0, std::min(k0 + detail::ResidueBlocks::max_k, k)};
      to_integers(product.a, rows, panel, space.a);
      to_integers(product.b, columns, panel, space.b);
      [&]<int... i>(std::integer_sequence<int, i...>) {
        (ModularProduct<T, i>{product, space}.add(rows.size(), columns.size(), panel.size()), ...);
      }
      (std::make_integer_sequence<int, s>());
    }
    store(rows, columns, space.residues_c);
  }

  static void to_integers(const ScaledRows<T>& from, Range rows, Range panel, double* to) {
    const Index apart = rows.size() * panel.size();
    for (Index i = rows.begin; i < rows.end; ++i) {
      const int exponent = from.exponent(i, limit);
      for (Index k = panel.begin; k < panel.end; ++k, ++to) {
        const T x = from.X.value(i, k);
        for (int p = 0; p < parts_of_element; ++p)
          to[p * apart] = residues::integer_of(residues::part_of(x, p), exponent);
      }
    }
  }

  /// C = alpha·A·B + beta·C for one block. @param c  residues of the block, (s,products,rows,columns)
  void store(Range rows, Range columns, const std::int8_t* c) const {
    const auto& [alpha, A, B, beta, C] = product.args;
    const Index elements = rows.size() * columns.size();
    for (Index i = rows.begin; i < rows.end; ++i) {
      const int of_row = product.a.exponent(i, limit);
      for (Index j = columns.begin; j < columns.end; ++j, ++c) {
        const int exponent = -of_row - product.b.exponent(j, limit);
        T sum;
        if constexpr (products == 1) {
          sum = sum_of(0, c, elements, exponent);
        } else {
          sum = {sum_of(0, c, elements, exponent), sum_of(1, c, elements, exponent)};
        }
        C(i, j) = residues::scaled_sum(alpha, sum, beta, [&, j] { return C(i, j); });
      }
    }
  }
  /// One part of an element of A·B. @param c  the residues of the products of the element
  static double sum_of(int part, const std::int8_t* c, Index elements, int exponent) {
    const double integer = residues::reconstruct<s>([&](int modulus) {
      const auto of_product = [&](int n) { return std::int32_t{c[(modulus * products + n) * elements]}; };
      return static_cast<double>(residues::residue_of_part<T>(part, residues::moduli[modulus], of_product));
    });
    return residues::times_power(integer, exponent);
  }
};

/// Calls f(0) to f(count - 1), on several threads if count > 1.
template <class F>
void start_parts(const Threads& threads, Index count, const F& f) {
  count > 1 ? threads.start(count, Threads::Work(f)) : f(0);
}

/// Computes one product with the number of moduli that the guard finds or the plan sets.
/// @param memory  the workspace
/// @return whether the product is computed; if not, C is untouched and the caller must use fp64
template <class T>
bool multiply_by_residues(const Threads& threads, const GemmArgs<T>& args, const GemmPlan& plan,
                          char* memory) {
  const auto [m, n, k] = args.shape();
  const Index row = residues::part_count<T> * k;  // in real numbers
  const Index count = threads.computes_alone() ? 1 : plan.threads;
  auto* const scales = reinterpret_cast<residues::RowScale*>(memory);
  const ScaledRows<T> a{args.A, scales}, b{args.B.transposed(), scales + m};
  start_parts(threads, count, FindScales<T>{a, b, count});
  residues::Spread of_a, of_b;
  for (Index i = 0; i < m; ++i) residues::add_row(of_a, scales[i], row);
  for (Index j = 0; j < n; ++j) residues::add_row(of_b, scales[m + j], row);
  int s = residues::moduli_for(of_a, of_b, row);
  if (plan.moduli > 0) s = of_a.finite && of_b.finite && row <= residues::max_k ? plan.moduli : 0;
  const TileShape blocks = cache_blocks<float>();  // integers have the micro-tiles of fp32
  const ResidueProduct<T> product{args,
                                  a,
                                  b,
                                  {args.shape(), plan.columns, residues::part_count<T>},
                                  blocks.tm,
                                  blocks.tn,
                                  memory + detail::residue_scales_bytes(args.shape())};
  const auto compute = [&]<int moduli>(std::integral_constant<int, moduli>) {
    if (s == moduli) start_parts(threads, count, ComputeBlocks<T, moduli>{product, count});
  };
  static_assert(residues::min_moduli == 13 && residues::max_moduli == 16);
  compute(std::integral_constant<int, 13>()), compute(std::integral_constant<int, 14>());
  compute(std::integral_constant<int, 15>()), compute(std::integral_constant<int, 16>());
  return s > 0;
}

template <class T>
void run_residues(const Threads& threads, const BatchArgs<T>& batch, const GemmPlan& plan) {
  const auto in_fp64 = [&](const BatchArgs<T>& args) { CpuDriver<T>::run(threads, args, plan.cpu); };
  if (batch.shape().k == 0) return in_fp64(batch);
  for (Index i = 0; i < batch.batch.count; ++i) {
    const GemmArgs<T> args = batch.product(i);
    if (i == 0) CpuDriver<T>::reserve(args, plan.cpu);  // the thread keeps the larger of both workspaces
    auto* const memory = static_cast<char*>(kept_workspace().of(plan.workspace));
    if (!multiply_by_residues(threads, args, plan, memory)) in_fp64(args);
  }
}

}  // namespace rooftile::portable
