// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "plan/costs/cost_model.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

/// Plans of the kernel `packed`: cache blocks and the division among threads. Blocks depend on the product
/// alone, hence the bits of a result do not depend on the number of threads.
namespace rooftile::detail {

inline constexpr const model::CpuCosts& cpu_costs = model::cost_rows::cpu;

/// The largest workspace of a product, in bytes. Blocks shrink until the workspace fits.
inline constexpr Index max_workspace_bytes = 20 * 1024 * 1024;
/// The workspace of a single thread, in bytes.
inline constexpr Index small_workspace_bytes = 32 * 1024;
/// The largest A that is copied as real numbers (`CpuParts`), in bytes.
inline constexpr Index small_operand = max_workspace_bytes / 2;
/// Elements after packed micropanels that packing may overwrite.
inline constexpr Index pack_slack = 16;

constexpr Index ceil_div(Index a, Index b) {
  return (a + b - 1) / b;
}

/// The largest number of columns of C that are computed as dot products, for micro-tiles of NR columns: they
/// do not fill a vector.
constexpr Index max_dots(int nr) {
  return nr / 2 - 1 < 3 ? 3 : nr / 2 - 1;
}

/// Returns the row stride of the sums of the algorithm `skinny_m`. The padding of 16 elements prevents rows
/// that are pages apart from sharing cache sets.
constexpr Index skinny_m_stride(Index columns) {
  return columns + 16;
}

/// Whether a product with few columns, or rows, is computed as dot products. Up to three columns need a K
/// that fills vectors. More columns need a K so long that adding the lanes costs little. Complex products
/// with a large operand use `CpuParts` instead.
constexpr bool makes_dots(bool complex_numbers, Index columns, Index k, const TileShape& blocks) {
  if (complex_numbers) return false;
  return columns <= 3 ? k >= blocks.tn / 2 : columns <= max_dots(blocks.tn) && k >= 8 * blocks.tn;
}

/// Returns the blocks of a type from those of real numbers, with equal bytes. A complex micro-tile has twice
/// as many accumulators for each row, so MR, NR and KC are halved.
constexpr TileShape cpu_blocks(bool complex_numbers, const TileShape& real) {
  if (!complex_numbers) return real;
  return {real.bm, real.bn, real.bk / 2, real.tm / 2, real.tn / 2};
}

struct CpuProduct {
  GemmShape shape;
  ComputeMode math;  ///< the own mode of the types
  CpuStrides a, b;
  Index count = 1;  ///< batch entries

  /// Returns the product as Cᵀ = Bᵀ·Aᵀ.
  constexpr CpuProduct transposed() const {
    return {{shape.n, shape.m, shape.k}, math, b.transposed(), a.transposed(), count};
  }
};

/// Describes the strides of an operand. @param size  bytes of an element
constexpr CpuStrides cpu_strides(Index row_stride, Index col_stride, std::size_t size) {
  constexpr Index l1_way = 4096;
  const Index crowd = l1_way / static_cast<Index>(size);
  return {row_stride == 1, col_stride == 1, row_stride != 0 && row_stride % crowd == 0,
          col_stride != 0 && col_stride % crowd == 0};
}

/// Returns the input of a plan for a product or a batch.
template <class T>
CpuProduct cpu_product(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  constexpr std::size_t size = sizeof(In<T>);
  constexpr ComputeMode own = own_mode<T>();
  return {args.shape(), own, cpu_strides(A.row_stride, A.col_stride, size),
          cpu_strides(B.row_stride, B.col_stride, size), args.batch.count};
}
/// Returns the input of a plan for described products.
constexpr CpuProduct cpu_product(const GemmDesc& desc) {
  return {desc.shape, own_mode(desc.type, desc.result_type), desc.cpu_a, desc.cpu_b, desc.count * desc.outer};
}

/// The properties of a mode's types that decide how a CPU computes.
struct CpuTypes {
  constexpr explicit CpuTypes(ComputeMode math)
      : element(mode_of(math).element),
        size(size_of(element)),
        accumulator_size(size_of(mode_of(math).accumulator)),
        complex_numbers(rooftile::is_complex(element)),
        converts(element != mode_of(math).accumulator),
        rounds(mode_of(math).result != mode_of(math).accumulator) {}

  Type element;
  std::size_t size;              ///< of an element of A or B, in bytes
  std::size_t accumulator_size;  ///< of an accumulator, in bytes
  bool complex_numbers;
  bool converts;  ///< packing converts the elements: 16-bit and mixed types
  bool rounds;    ///< storing rounds the accumulators: 16-bit types
};

/// Returns the number of elements of a matrix. A double, since with strides of 0 it may exceed an Index.
constexpr double elements(Index rows, Index cols) {
  return static_cast<double>(rows) * static_cast<double>(cols);
}

/// Whether vectors along the rows of B can be loaded in place.
constexpr bool has_vectors(const CpuProduct& product) {
  return product.b.unit_col || product.shape.n == 1;
}

/// Whether a copy of B fits the workspace of a single thread.
constexpr bool fits_small(const CpuProduct& product, std::size_t size) {
  return elements(product.shape.k, product.shape.n) * static_cast<double>(size) <= small_workspace_bytes;
}

/// Whether computing Cᵀ = Bᵀ·Aᵀ is faster than C = A·B. Reasons:
/// - the transposed product consists of dot products;
/// - a large B would be packed for few rows;
/// - vectors along the rows of C would be narrow or gathered, and those along its columns are wider.
constexpr bool better_transposed(const CpuProduct& product, const CpuTypes& types, const TileShape& blocks) {
  const auto [m, n, k] = product.shape;
  if (types.converts) return 2 * n < blocks.tn && n < m && !(types.rounds && makes_dots(false, n, k, blocks));
  const bool vectors = has_vectors(product);
  if (makes_dots(types.complex_numbers, n, k, blocks) && product.a.unit_col) return false;
  if (makes_dots(types.complex_numbers, m, k, blocks) && product.b.unit_row && !vectors) return true;
  if (!vectors && m <= 2 * blocks.tm && m < n && !fits_small(product, types.size)) return true;
  if (2 * n >= blocks.tn || m <= n) return false;
  return !vectors || product.a.unit_row;
}

/// Limits of `CpuParts::columns`, whose vectors run along K: at most `few_by_columns` rows of C, and K of at
/// least `columns_steps`.
inline constexpr Index few_by_columns = 3, columns_steps = 64;

/// A fast sufficient check that `tiny_plan` computes a product as given, without a copy. The smallest
/// products take less time than making a plan.
constexpr bool is_tiny_as_given(const GemmShape& shape, bool complex_numbers, bool b_has_vectors,
                                const TileShape& blocks) {
  const auto [m, n, k] = shape;
  return std::max({m, n}) <= 64 && k < 64 && b_has_vectors && (2 * n >= blocks.tn || m <= n) &&
         !makes_dots(complex_numbers, n, k, blocks);
}

/// A reduced plan for a tiny product, which the calling thread computes in place. A full plan would take too
/// long to make.
struct TinyPlan {
  bool exists = false;  ///< whether the product is tiny
  bool swapped = false;
  bool pack_b = false;
};

/// Returns the plan of a tiny product. @param blocks  blocks of the type
/// @pre count is 1, and elements are not converted
constexpr TinyPlan tiny_plan(const CpuProduct& product, const CpuTypes& types, const TileShape& blocks) {
  constexpr Index most = 64;
  const auto [m, n, k] = product.shape;
  if (std::max({m, n, k}) > most) return {};
  if (types.complex_numbers && std::min(m, n) <= few_by_columns && k >= columns_steps) return {};
  const bool swapped = better_transposed(product, types, blocks);
  const CpuProduct given = swapped ? product.transposed() : product;
  const bool vectors = has_vectors(given);
  if (given.a.unit_col && makes_dots(types.complex_numbers, given.shape.n, k, blocks)) return {};
  const auto work = static_cast<double>((types.complex_numbers ? 4 : 1) * m * n * k);
  const bool little = work <= cpu_costs.waking && (vectors || fits_small(given, types.size));
  return {little || (vectors && !swapped), swapped, !vectors};
}

/// Plans a product without transposing it. @param blocks  blocks of the type
CpuPlan plan_as_given(const CpuProduct& product, const TileShape& blocks, int threads);

/// Returns the complete plan of products.
/// @param real     blocks of real numbers
/// @param threads  available threads; 1: the calling thread
CpuPlan plan_on_cpu(const CpuProduct& product, const TileShape& real, int threads);
/// Returns the plan of a product that one thread computes while other threads compute other products.
CpuPlan plan_for_one(const CpuProduct& product, const TileShape& real);

/// Returns the real multiply-adds of a product.
double multiply_adds(const CpuProduct& product);
/// Returns KC: K is divided into equal blocks of at most `most`, the KC of the caches.
int even_block(Index k, int most);
/// Whether all of A and B, packed in elements of `size` bytes, fit the workspace of a single thread.
bool fits_small_packed(const GemmShape& shape, const TileShape& blocks, std::size_t size);
/// Returns how a complex product with a small A is computed as a real product.
CpuParts parts_of(const CpuProduct& product, const TileShape& real);
/// Returns the columns of B that are multiplied at a time. All parts have equal width, hence the last part
/// may overlap the one before it. @param size  bytes of a real number
Index columns_at_a_time(CpuParts parts, const GemmShape& shape, std::size_t size);
/// Whether each thread computes products of a batch independently. Otherwise all threads share one product at
/// a time. Independent threads need enough products that fit the caches of a core.
bool one_thread_each(const CpuPlan& plan, const CpuProduct& product, int threads);

/// Returns the workspace of a plan. @param converts  packing converts the elements of A and B
CpuWorkspace cpu_workspace(const GemmShape& shape, const CpuPlan& plan, bool converts, int threads);
/// Halves NC and MC until the workspace has at most `most` elements, then reduces the threads. KC does not
/// change, because the bits of results depend on it.
CpuWorkspace fit_workspace(const GemmShape& shape, CpuPlan& plan, bool converts, int threads, Index most);

/// Adds the CPU plan to a plan. @param threads  threads that share a product
void add_cpu_plan(GemmPlan& plan, int threads);
void add_cpu_plan(GemmPlan& plan, const CpuPlan& cpu);

}  // namespace rooftile::detail
