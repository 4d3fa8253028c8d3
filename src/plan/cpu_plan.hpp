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

/// How the kernel `packed` divides a product: into blocks, which depend on the product alone, so that a
/// result does not depend on the number of threads; and among threads.
namespace rooftile::detail {

inline constexpr const model::CpuCosts& cpu_costs = model::cost_rows::cpu;

/// The largest workspace of a product, in bytes. Larger ones make its blocks smaller.
inline constexpr Index max_workspace_bytes = 20 * 1024 * 1024;
/// The workspace of a thread that works alone, in bytes.
inline constexpr Index small_workspace_bytes = 32 * 1024;
/// The largest A that is copied as real numbers (`CpuParts`), in bytes.
inline constexpr Index small_operand = max_workspace_bytes / 2;
/// Elements behind packed micropanels that packing may write too.
inline constexpr Index pack_slack = 16;

constexpr Index ceil_div(Index a, Index b) {
  return (a + b - 1) / b;
}

/// The columns of C that are computed as dot products at most, for micro-tiles of NR columns: they fill no
/// vector.
constexpr Index max_dots(int nr) {
  return nr / 2 - 1 < 3 ? 3 : nr / 2 - 1;
}

/// Elements from a row of the sums of few rows to the next, for so many columns: a cache line more than they
/// have, since at a distance of pages rows would displace each other.
constexpr Index skinny_m_stride(Index columns) {
  return columns + 16;
}

/// Whether a product with so many columns, or rows, is computed as dot products: up to three, where vectors
/// along K are filled, and more, where it is so long that to sum up their lanes counts for little. Of complex
/// numbers `CpuParts` has those of a large operand.
constexpr bool makes_dots(bool complex_numbers, Index columns, Index k, const TileShape& blocks) {
  if (complex_numbers) return false;
  return columns <= 3 ? k >= blocks.tn / 2 : columns <= max_dots(blocks.tn) && k >= 8 * blocks.tn;
}

/// The blocks of a type, in as many bytes, from those of its parts: complex numbers have twice as many sums
/// for each row of a micro-tile, so both its extents, and KC, are half as large.
constexpr TileShape cpu_blocks(bool complex_numbers, const TileShape& real) {
  if (!complex_numbers) return real;
  return {real.bm, real.bn, real.bk / 2, real.tm / 2, real.tn / 2};
}

/// The input of a plan for a CPU.
struct CpuProduct {
  GemmShape shape;
  ComputeMode math;  ///< the types' own
  CpuStrides a, b;
  Index count = 1;  ///< batch entries

  /// The same as Cᵀ = Bᵀ·Aᵀ.
  constexpr CpuProduct transposed() const {
    return {{shape.n, shape.m, shape.k}, math, b.transposed(), a.transposed(), count};
  }
};

/// @param size  bytes of an element
constexpr CpuStrides cpu_strides(Index row_stride, Index col_stride, std::size_t size) {
  constexpr Index l1_way = 4096;
  const Index crowd = l1_way / static_cast<Index>(size);
  return {row_stride == 1, col_stride == 1, row_stride != 0 && row_stride % crowd == 0,
          col_stride != 0 && col_stride % crowd == 0};
}

/// The product, or the first of a batch.
template <class T>
CpuProduct cpu_product(const BatchArgs<T>& args) {
  const auto& [alpha, A, B, beta, C] = args.first;
  constexpr std::size_t size = sizeof(In<T>);
  constexpr ComputeMode own = own_mode<T>();
  return {args.shape(), own, cpu_strides(A.row_stride, A.col_stride, size),
          cpu_strides(B.row_stride, B.col_stride, size), args.batch.count};
}
/// The same of products that are described.
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
  std::size_t accumulator_size;  ///< of an accumulator
  bool complex_numbers;
  bool converts;  ///< elements become others where they are packed: those of 16 bits, and of mixed types
  bool rounds;    ///< accumulators become others where they are stored: of 16 bits
};

/// The number of elements of a matrix. With strides of 0 it may exceed an Index.
constexpr double elements(Index rows, Index cols) {
  return static_cast<double>(rows) * static_cast<double>(cols);
}

/// Whether vectors along the rows of B can be read where they are.
constexpr bool has_vectors(const CpuProduct& product) {
  return product.b.unit_col || product.shape.n == 1;
}

/// Whether a thread that works alone has room for a copy of B.
constexpr bool fits_small(const CpuProduct& product, std::size_t size) {
  return elements(product.shape.k, product.shape.n) * static_cast<double>(size) <= small_workspace_bytes;
}

/// Whether Cᵀ = Bᵀ·Aᵀ is the better way to compute C = A·B: where that makes dot products; where a large B
/// would have to be packed for few rows; or where vectors along the rows of C would be narrow, and those
/// along its columns wider, or would have to be gathered.
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

/// The rows of C, at most, for which real numbers are faster than complex ones: by columns, whose vectors run
/// along K, for a K of so many steps at least.
inline constexpr Index few_by_columns = 3, columns_steps = 64;

/// Whether `tiny_plan` computes a product as it is given, without a copy, told at a glance: the smallest
/// products take less time than the plan.
constexpr bool is_tiny_as_given(const GemmShape& shape, bool complex_numbers, bool b_has_vectors,
                                const TileShape& blocks) {
  const auto [m, n, k] = shape;
  return std::max({m, n}) <= 64 && k < 64 && b_has_vectors && (2 * n >= blocks.tn || m <= n) &&
         !makes_dots(complex_numbers, n, k, blocks);
}

/// How a tiny product is computed: in place by the calling thread, for which a plan takes too long to make.
struct TinyPlan {
  bool exists = false;  ///< whether the product is tiny
  bool swapped = false;
  bool pack_b = false;
};

/// @param blocks  of the type
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

/// How a product is computed as it is given, by so many threads. @param blocks  of its type
CpuPlan plan_as_given(const CpuProduct& product, const TileShape& blocks, int threads);

/// How products are computed: all that is decided of them.
/// @param real     the blocks of real numbers
/// @param threads  that there are; 1: the calling one
CpuPlan plan_on_cpu(const CpuProduct& product, const TileShape& real, int threads);
/// The same of a product that one thread computes beside others.
CpuPlan plan_for_one(const CpuProduct& product, const TileShape& real);

/// Multiply-adds of real numbers of a product.
double multiply_adds(const CpuProduct& product);
/// KC for a K: equal blocks of at most the caches' KC.
int even_block(Index k, int most);
/// Whether a thread that works alone has room for all of A and B, converted to elements of `size` and packed.
bool fits_small_packed(const GemmShape& shape, const TileShape& blocks, std::size_t size);
/// How a product with one small operand, A, is computed as one of real numbers.
CpuParts parts_of(const CpuProduct& product, const TileShape& real);
/// Columns of B at a time, all equally many; the last ones may have been in the part before.
/// @param size  bytes of a real number
Index columns_at_a_time(CpuParts parts, const GemmShape& shape, std::size_t size);
/// Whether each thread computes products of a batch by itself, instead of all threads one after the other:
/// where there are enough, and a core's caches hold what it works on.
bool one_thread_each(const CpuPlan& plan, const CpuProduct& product, int threads);

/// The workspace of a plan. @param converts  elements of A and B, where they are packed
CpuWorkspace cpu_workspace(const GemmShape& shape, const CpuPlan& plan, bool converts, int threads);
/// Halves NC, then MC, until the workspace has at most `most` elements, and then lets fewer threads compute.
/// KC stays: results depend on it.
CpuWorkspace fit_workspace(const GemmShape& shape, CpuPlan& plan, bool converts, int threads, Index most);

/// Adds to a plan for a CPU how it is computed there. @param threads  that share a product
void add_cpu_plan(GemmPlan& plan, int threads);
void add_cpu_plan(GemmPlan& plan, const CpuPlan& cpu);

}  // namespace rooftile::detail
