// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/cpu_plan.hpp"

#include <array>
#include <utility>

namespace rooftile::detail {

namespace {

/// Returns a row of a constant table: building `CpuTypes` takes longer than a small product.
const CpuTypes& types_of(ComputeMode math) {
  static constexpr auto rows = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{CpuTypes(all_modes[i])...};
  }
  (std::make_index_sequence<mode_count>());
  return rows[static_cast<std::size_t>(math)];
}

/// Replaces `reads_to_pack` for an A with crowded rows, whose cache lines displace each other. A is packed if
/// more than this many micropanels of B read it.
constexpr Index crowded_reads_to_pack = 2;

/// Split-K applies if C has at most `split_c` elements, which leaves threads without tiles. A split has about
/// `split_steps` steps, and there are at most `max_splits`.
constexpr Index split_c = 128 * 128, split_steps = 1024, max_splits = 64;
constexpr Index split_dots = 32;  // largest number of rows of C for split dot products

/// Limits of the algorithm `skinny_m`, which streams B row by row. It pays for a B beyond L3, where
/// micro-tiles would load only two cache lines of each row. For at most `skinny_m_beyond_l2` rows of C, it
/// pays for a B beyond L2. B needs at least `skinny_m_tiles` micro-tiles along N to amortize work per row.
constexpr Index skinny_m_beyond_l2 = 4, skinny_m_tiles = 8;

/// Columns per pass of `skinny_m`, for one group of rows and for several: enough for the prefetcher, and few
/// enough to keep the sums of all rows in L2.
constexpr int skinny_m_columns = 2048, grouped_columns = 1024;

/// Limits of split-K for `skinny_m`. It applies to rows below `short_rows`, too short for several threads. A
/// split has at least `skinny_m_steps` steps, and all sums have at most `skinny_m_sums` elements.
constexpr Index short_rows = 4 * skinny_m_columns, skinny_m_steps = 128, skinny_m_sums = 1 << 20;

/// The largest number of complex rows of C whose real rows use `skinny_m`.
constexpr Index few_by_rows = skinny_m_beyond_l2 / 2;

/// The largest number of rows of a 16-bit C whose accumulators are kept at a time. B is packed again for each
/// group of rows.
constexpr Index max_rows_of_sums = 1024;

/// The minimum multiply-adds of a thread that shares a product. With fewer, waiting for other threads takes
/// longer than computing.
constexpr double min_work_of_thread = cpu_costs.waking / 4;

int splits_for(Index k) {
  return static_cast<int>(std::clamp<Index>(k / split_steps, 1, max_splits));
}

int skinny_m_splits(const GemmShape& shape) {
  const auto [m, n, k] = shape;
  if (n >= short_rows) return 1;
  return static_cast<int>(
      std::clamp<Index>(std::min(k / skinny_m_steps, skinny_m_sums / (m * n)), 1, max_splits));
}

/// Plans a product whose elements are converted during packing. A small product packs all of A and B; others
/// pack panels.
CpuPlan plan_converted(const CpuProduct& product, const TileShape& blocks, const CpuTypes& types) {
  const auto [m, n, k] = product.shape;
  CpuPlan plan{.algorithm = CpuAlgorithm::panels, .blocks = blocks, .pack_a = true, .pack_b = true};
  const double operands = elements(m, k) + elements(k, n);
  if (!types.rounds) {
    plan.single_threaded = fits_small_packed(product.shape, blocks, types.accumulator_size);
    if (plan.single_threaded) {
      plan.blocks.bk = even_block(k, blocks.bk);
      return plan;
    }
  } else if ((operands + elements(m, n)) * static_cast<double>(types.accumulator_size) <=
             small_workspace_bytes) {
    plan.single_threaded = true;
    plan.algorithm = makes_dots(false, n, k, blocks) ? CpuAlgorithm::dot_products : CpuAlgorithm::unpacked;
    return plan;
  }
  plan.in_l2 = operands <= 2 * elements(blocks.bm, blocks.bk);
  plan.blocks.bk = even_block(k, blocks.bk);
  if (types.rounds) plan.rows_of_sums = std::min(m, max_rows_of_sums);
  if (m * n <= split_c) plan.split_k = splits_for(k);
  return plan;
}

/// Adds the division of a batch among threads, and the workspace.
void share(CpuPlan& plan, const CpuProduct& product, const CpuTypes& types, int threads) {
  if (one_thread_each(plan, product, threads)) {
    plan.independent = static_cast<int>(std::min<Index>(product.count, threads));
  } else if (!plan.single_threaded) {
    const double most = multiply_adds(product) * static_cast<double>(product.count) / min_work_of_thread;
    plan.cooperative = most < threads ? std::max(1, static_cast<int>(most)) : threads;
  }
  if (!plan.single_threaded) {
    plan.space = fit_workspace(product.shape, plan, types.converts, plan.cooperative,
                               max_workspace_bytes / static_cast<Index>(types.accumulator_size));
  } else if (plan.algorithm == CpuAlgorithm::panels && types.converts) {
    plan.space = cpu_workspace(product.shape, plan, true, 1);
  }
}

/// Returns the real product of some columns of B. @param product  complex, with A as the smaller operand
CpuProduct real_product(CpuParts parts, const CpuProduct& product, Index columns) {
  const auto [m, n, k] = product.shape;
  const ComputeMode real = product.math == ComputeMode::cfp32 ? ComputeMode::fp32 : ComputeMode::fp64;
  const std::size_t size = size_of(type_of(real));
  // Strides of B are twice those of real numbers, so the flags of the complex product apply.
  if (parts == CpuParts::rows)
    return {
        {2 * m, 2 * columns, k}, real, cpu_strides(k, 1, size), {false, true, product.b.crowded_row, false}};
  return {{2 * m, columns, 2 * k},
          real,
          cpu_strides(2 * k, 1, size),
          {true, false, false, product.b.crowded_col}};
}

}  // namespace

double multiply_adds(const CpuProduct& product) {
  return 0.5 * flops_of(product.shape, mode_of(product.math).element);
}

int even_block(Index k, int most) {
  if (k <= most) return static_cast<int>(std::max<Index>(k, 1));
  return static_cast<int>(ceil_div(k, ceil_div(k, most)));
}

bool fits_small_packed(const GemmShape& shape, const TileShape& blocks, std::size_t size) {
  const auto panels = [&](Index extent, int width) {
    return elements(ceil_div(extent, width) * width, shape.k + 2) + 2 * pack_slack;
  };
  return (panels(shape.m, blocks.tm) + panels(shape.n, blocks.tn)) * static_cast<double>(size) <=
         small_workspace_bytes;
}

CpuPlan plan_as_given(const CpuProduct& product, const TileShape& blocks, int threads) {
  const CpuTypes& types = types_of(product.math);
  if (types.converts) return plan_converted(product, blocks, types);
  const auto [m, n, k] = product.shape;
  CpuPlan plan{.algorithm = CpuAlgorithm::panels, .blocks = blocks};
  const bool vectors = has_vectors(product);
  const bool must_pack_b = !product.b.unit_col || n < blocks.tn / 2;  // vectors cannot read B in place
  const double half_l2 = elements(blocks.bm, blocks.bk), l3 = 4 * elements(blocks.bn, blocks.bk);
  const double work = multiply_adds(product);
  // If both algorithms add in one order, the choice may depend on the number of threads.
  const bool alike = k <= blocks.bk;
  const bool little = work <= (threads == 1 && alike ? cpu_costs.calling_kokkos
                               : !vectors            ? cpu_costs.waking_to_pack
                                                     : cpu_costs.waking);
  if (product.a.unit_col && makes_dots(types.complex_numbers, n, k, blocks)) {
    plan.algorithm = CpuAlgorithm::dot_products;
    plan.single_threaded = work <= cpu_costs.waking;
    if (m <= split_dots) plan.split_k = splits_for(k);
    return plan;
  }
  if (!types.complex_numbers && product.b.unit_col && n >= skinny_m_tiles * blocks.tn &&
      ((m <= skinny_m_beyond_l2 && elements(k, n) > half_l2) ||
       (m <= cpu_costs.reads_to_pack * blocks.tm && elements(k, n) > l3))) {
    plan.algorithm = CpuAlgorithm::skinny_m;
    plan.blocks.bn = m <= blocks.tm ? skinny_m_columns : grouped_columns;
    plan.split_k = skinny_m_splits(product.shape);
    return plan;
  }
  if (little && (vectors || fits_small(product, types.size))) {
    plan.algorithm = CpuAlgorithm::unpacked;
    plan.single_threaded = true;
    plan.pack_b = !vectors;
    return plan;
  }
  plan.in_l2 = elements(m, k) + elements(k, n) <= 2 * half_l2;
  plan.blocks.bk = even_block(k, blocks.bk);
  const Index columns =
      small_workspace_bytes / static_cast<Index>(types.size) / plan.blocks.bk / blocks.tn * blocks.tn;
  plan.single_threaded = little && (!must_pack_b || columns > 0);
  if (plan.single_threaded) {
    plan.pack_b = must_pack_b;
    if (must_pack_b) plan.blocks.bn = static_cast<int>(std::min<Index>(columns, blocks.bn));
    return plan;
  }
  plan.pack_b = must_pack_b || (!plan.in_l2 && m > cpu_costs.reads_to_pack * blocks.tm);
  plan.pack_a = product.a.crowded_row ? n > crowded_reads_to_pack * blocks.tn
                                      : !plan.in_l2 && n > cpu_costs.reads_to_pack * blocks.tn;
  if (m * n <= split_c) plan.split_k = splits_for(k);
  return plan;
}

bool one_thread_each(const CpuPlan& plan, const CpuProduct& product, int threads) {
  if (threads == 1 || product.count == 1) return false;
  if (plan.single_threaded)
    return static_cast<double>(product.count) * multiply_adds(product) > cpu_costs.waking;
  return plan.in_l2 && product.count >= threads;
}

CpuParts parts_of(const CpuProduct& product, const TileShape& real) {
  const auto [m, n, k] = product.shape;
  const auto size = static_cast<double>(size_of(mode_of(product.math).element)) / 2;
  if (elements(2 * m, 2 * k) * size > small_operand) return CpuParts::none;
  if (product.b.unit_row && (!product.b.unit_col || n == 1))
    return m <= few_by_columns && k >= columns_steps ? CpuParts::columns : CpuParts::none;
  const bool beyond_l2 = elements(k, 2 * n) > elements(real.bm, real.bk);
  return product.b.unit_col && m <= few_by_rows && beyond_l2 ? CpuParts::rows : CpuParts::none;
}

Index columns_at_a_time(CpuParts parts, const GemmShape& shape, std::size_t size) {
  constexpr Index small_sums = 1024 * 1024;  // bytes
  const Index bytes = (parts == CpuParts::rows ? 4 : 2) * shape.m * static_cast<Index>(size);
  const Index most = std::max<Index>(1, small_sums / bytes);
  return ceil_div(shape.n, ceil_div(shape.n, most));
}

namespace {

/// Plans products that are neither tiny nor computed by parts.
CpuPlan plan_shared(const CpuProduct& product, const TileShape& blocks, int threads) {
  const CpuTypes& types = types_of(product.math);
  const bool swapped = better_transposed(product, types, blocks);
  const CpuProduct given = swapped ? product.transposed() : product;
  CpuPlan plan = plan_as_given(given, blocks, threads);
  plan.swapped = swapped;
  share(plan, given, types, threads);
  return plan;
}

}  // namespace

CpuPlan plan_on_cpu(const CpuProduct& product, const TileShape& real, int threads) {
  const CpuTypes& types = types_of(product.math);
  const TileShape blocks = cpu_blocks(types.complex_numbers, real);
  if (product.count == 1 && !types.converts) {
    if (const auto [exists, swapped, pack_b] = tiny_plan(product, types, blocks); exists)
      return {.algorithm = CpuAlgorithm::unpacked,
              .blocks = blocks,
              .swapped = swapped,
              .single_threaded = true,
              .pack_b = pack_b};
  }
  if (types.complex_numbers && product.count == 1) {
    const bool small_second = product.shape.m > product.shape.n;
    const CpuProduct given = small_second ? product.transposed() : product;
    if (const CpuParts parts = parts_of(given, real); parts != CpuParts::none) {
      const Index columns = columns_at_a_time(parts, given.shape, types.size / 2);
      CpuPlan plan = plan_on_cpu(real_product(parts, given, columns), real, threads);
      plan.parts = parts, plan.swapped_parts = small_second, plan.columns = columns;
      return plan;
    }
  }
  return plan_shared(product, blocks, threads);
}

CpuPlan plan_for_one(const CpuProduct& product, const TileShape& real) {
  return plan_shared(product, cpu_blocks(types_of(product.math).complex_numbers, real), 1);
}

CpuWorkspace cpu_workspace(const GemmShape& shape, const CpuPlan& plan, bool converts, int threads) {
  const TileShape& s = plan.blocks;
  const auto whole = [](Index extent, Index most, Index unit) {
    return ceil_div(std::min(extent, most), unit) * unit;
  };
  const Index line = 16;  // elements; keeps all parts aligned
  // Pairs of bf16 elements need padding in micropanels of converted elements.
  const Index kc = std::min<Index>(shape.k, s.bk) + (converts ? 2 : 0);
  CpuWorkspace size;
  if (plan.algorithm == CpuAlgorithm::skinny_m) size.a = shape.m * skinny_m_stride(s.bn);
  if (plan.pack_a) size.a = ceil_div(whole(shape.m, s.bm, s.tm) * kc + pack_slack, line) * line;
  if (plan.pack_b) size.b = ceil_div(whole(shape.n, s.bn, s.tn) * kc, line) * line;
  const Index sums =
      plan.split_k > 1 ? shape.m * shape.n : plan.rows_of_sums * std::min<Index>(shape.n, s.bn);
  size.c = ceil_div(sums, line) * line;
  size.blocks = plan.split_k > 1 ? std::min(threads, plan.split_k) : threads;
  size.panels = plan.split_k > 1 ? size.blocks : 1;
  size.split_k = plan.split_k;
  return size;
}

CpuWorkspace fit_workspace(const GemmShape& shape, CpuPlan& plan, bool converts, int threads, Index most) {
  const auto halve = [](int& extent, int unit) { extent = std::max(unit, extent / 2 / unit * unit); };
  TileShape& s = plan.blocks;
  CpuWorkspace size = cpu_workspace(shape, plan, converts, threads);
  while (size.elements() > most && (s.bn > s.tn || s.bm > s.tm)) {
    s.bn > 8 * s.tn || s.bm == s.tm ? halve(s.bn, s.tn) : halve(s.bm, s.tm);
    size = cpu_workspace(shape, plan, converts, threads);
  }
  const Index each = size.a + (plan.split_k > 1 ? size.b : 0);
  if (size.elements() <= most || each == 0) return size;
  const Index rest = size.elements() - each * size.blocks;
  return cpu_workspace(shape, plan, converts, static_cast<int>(std::max<Index>((most - rest) / each, 1)));
}

void add_cpu_plan(GemmPlan& plan, const CpuPlan& cpu) {
  const CpuProduct product = cpu_product(plan.desc);
  plan.cpu = cpu;
  plan.algorithm = cpu.algorithm, plan.split_k = cpu.split_k;
  plan.swapped = cpu.swapped != cpu.swapped_parts;
  plan.a.repack = cpu.pack_a, plan.b.repack = cpu.pack_b;
  if (cpu.parts != CpuParts::none) (cpu.swapped ? plan.b : plan.a).repack = true;
  const CpuProduct given = plan.swapped ? product.transposed() : product;
  plan.a.k_major = given.a.unit_col, plan.b.k_major = given.b.unit_row;
  plan.threads = std::max(cpu.independent, cpu.cooperative);
  plan.single_threaded = plan.threads == 1;
}

void add_cpu_plan(GemmPlan& plan, int threads) {
  const auto& [m, n, k] = plan.desc.shape;
  if (plan.desc.count * plan.desc.outer == 0 || m == 0 || n == 0) return;
  CpuProduct product = cpu_product(plan.desc);
  if (takes_residues(plan.math)) {  // the guard may require fp64 for each product
    if (k > 0) product.count = 1;
    plan.cpu = plan_on_cpu(product, plan.tile, threads);
    return;
  }
  plan.single_threaded = threads == 1;
  if (plan.kernel == cpu_kernel) add_cpu_plan(plan, plan_on_cpu(product, plan.tile, threads));
}

}  // namespace rooftile::detail
