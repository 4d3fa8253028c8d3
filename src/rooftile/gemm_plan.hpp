// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/detail/function.hpp"
#include "rooftile/kernel.hpp"
#include "rooftile/problem.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

namespace detail {

/// How an operand X (K,X) is stored in every product of a batch: major order, width of the vectors that its
/// lines allow, and what TMA can read.
struct OperandAlignment {
  bool k_major = false;
  bool whole = true;
  bool pairs = true;
  bool tma_k = false;   ///< TMA reads lines along k
  bool tma_mn = true;   ///< TMA reads lines along x
  bool shared = false;  ///< the batch entries of a launch share one matrix

  /// Whether threads copy vectors to panels. Panels for matrix instructions keep the operand's lines. Other
  /// panels have lines along x, which is M of A and N of B.
  constexpr bool vectors(bool fragments) const { return whole && (fragments || !k_major); }

  /// The properties that this and another operand with one matrix share.
  constexpr OperandAlignment and_also(const OperandAlignment& x) const {
    return {k_major, whole && x.whole, pairs && x.pairs, tma_k && x.tma_k, tma_mn && x.tma_mn, shared};
  }

  friend constexpr bool operator==(const OperandAlignment&, const OperandAlignment&) = default;
};

/// How A, seen transposed, and B are stored.
struct OperandAlignments {
  OperandAlignment a;
  OperandAlignment b;

  /// The properties for Cᵀ = Bᵀ·Aᵀ.
  constexpr OperandAlignments swapped() const { return {b, a}; }

  constexpr bool all(bool fragments) const { return a.vectors(fragments) && b.vectors(fragments); }

  friend constexpr bool operator==(const OperandAlignments&, const OperandAlignments&) = default;
};

}  // namespace detail

/// Which lines of C TMA can store, in every product of a batch.
struct ResultLines {
  bool rows = true;      ///< rows of C
  bool columns = false;  ///< columns of C

  /// Compares all members.
  friend constexpr bool operator==(const ResultLines&, const ResultLines&) = default;
};

/// The strides of an operand, as far as a plan for a CPU depends on them.
struct CpuStrides {
  bool unit_row = false;     ///< adjacent rows are one element apart
  bool unit_col = false;     ///< adjacent columns are one element apart
  bool crowded_row = false;  ///< rows are multiples of 4,096 bytes apart and share few sets of L1
  bool crowded_col = false;  ///< columns are multiples of 4,096 bytes apart

  /// Returns the strides of the transpose.
  constexpr CpuStrides transposed() const { return {unit_col, unit_row, crowded_col, crowded_row}; }
  /// Compares all members.
  friend constexpr bool operator==(const CpuStrides&, const CpuStrides&) = default;
};

/// How the scales of an operand of 8-bit floats vary.
enum class ScaleLayout {
  constant,     ///< not along K: one for the operand or for 128 rows of A or columns of B, or none
  lines,        ///< not along K: one for each row of A or column of B
  block_steps,  ///< one for the operand, or for 128 rows or columns, in each step of 128 along K
  line_steps,   ///< one for each row of A or column of B in each step of 128 along K
};

/// All properties of products that a plan depends on. Products with equal descriptions have equal plans.
struct GemmDesc {
  GemmShape shape;                           ///< of each product
  Type type = Type::fp32;                    ///< element type of A and B
  Index count = 1;                           ///< batch entries; with two batch dimensions, of the inner one
  detail::OperandAlignments alignment = {};  ///< how A and B are stored
  ResultLines result = {};                   ///< how C is stored
  bool by_pointers = false;                  ///< A, B or C has an array of pointers
  Type result_type = Type::fp32;             ///< element type of C
  Index outer = 1;                           ///< entries of the outer of two batch dimensions
  bool reads_c = false;                      ///< beta is not zero
  CpuStrides cpu_a = {};                     ///< strides of A, on CPUs
  CpuStrides cpu_b = {};                     ///< strides of B, on CPUs
  ScaleLayout scales_a = ScaleLayout::constant;  ///< scales of A
  ScaleLayout scales_b = ScaleLayout::constant;  ///< scales of B

  /// Whether scales vary along K.
  constexpr bool has_scale_steps() const {
    return scales_a >= ScaleLayout::block_steps || scales_b >= ScaleLayout::block_steps;
  }
  /// Compares all members.
  friend constexpr bool operator==(const GemmDesc&, const GemmDesc&) = default;
};

/// The kernel for a product, and the reason.
struct Choice {
  Kernel kernel = Kernel::automatic;          ///< the kernel; not `automatic` in a plan
  TileShape tile = {};                        ///< its tile
  std::string_view why = {};                  ///< the reason, a few words; lives as long as the program
  ComputeMode math = ComputeMode::automatic;  ///< the compute mode; not `automatic` in a plan
  bool repack = false;  ///< operands that threads would copy element by element are repacked first
  bool tuned = false;   ///< the choice comes from `GemmOptions::tuning`
};

/// How a kernel reads an operand.
struct OperandPlan {
  bool repack = false;   ///< from a copy that is made first
  bool k_major = false;  ///< as lines along k
};

/// The algorithms of the kernel `packed`.
enum class CpuAlgorithm {
  none,          ///< the kernel is not `packed`
  unpacked,      ///< tiles of C; A and B are read in place
  dot_products,  ///< vectors along K
  skinny_m,      ///< for few rows; B is read row by row
  panels,        ///< cache blocks, which are packed if that saves time
};

/// Returns the name of an algorithm in words; empty for `none`.
std::string_view to_string(CpuAlgorithm algorithm);

/// How a complex product with one small operand is computed as a real product. The large operand stays in
/// place.
enum class CpuParts {
  none,     ///< it is not: complex micro-kernels compute it
  rows,     ///< the large operand is read by rows, as (k,2n)
  columns,  ///< the large operand is read by columns, as (2k,n)
};

/// Sizes of a CPU's workspace, in elements.
struct CpuWorkspace {
  Index a = 0;        ///< of one thread's block of A
  Index b = 0;        ///< of one panel of B
  Index c = 0;        ///< of the partial sums of one split of K, or of some rows and columns
  Index blocks = 0;   ///< number of blocks of A: one for each thread that computes
  Index panels = 0;   ///< number of panels of B: one for the team, or one for each thread if K is split
  Index split_k = 0;  ///< number of partial sums of K

  /// Returns the elements of the whole workspace.
  constexpr Index elements() const { return a * blocks + b * panels + c * split_k; }
};

/// How the kernel `packed` computes on a CPU. `plan` makes it, and a call executes it.
struct CpuPlan {
  CpuAlgorithm algorithm = CpuAlgorithm::none;  ///< `none`: there is no plan
  TileShape blocks = {};                        ///< MC, NC and KC, and the tile MR, NR
  bool swapped = false;                         ///< computes Cᵀ = Bᵀ·Aᵀ
  bool single_threaded = false;                 ///< the calling thread computes a small product alone
  bool pack_a = false;                          ///< A is packed
  bool pack_b = false;                          ///< B is packed, or copied for an unpacked product
  int split_k = 1;                              ///< partial sums of K, which are added in a fixed order
  Index rows_of_sums = 0;   ///< rows of a 16-bit C whose accumulators stay in the workspace until K ends
  bool in_l2 = false;       ///< A and B together fit L2
  int independent = 1;      ///< threads that each compute some products of a batch
  int cooperative = 1;      ///< threads that share each product
  CpuWorkspace space = {};  ///< of all threads, or of each thread if `independent` > 1
  CpuParts parts = CpuParts::none;  ///< if not `none`, the other members describe the real product
  bool swapped_parts = false;       ///< the small operand was B
  Index columns = 0;                ///< columns of the large operand that are multiplied at a time
};

namespace detail {

/// A cluster computes `m` by `n` tiles of C. Thread blocks in a row share a tile of A, those in a column a
/// tile of B.
struct ClusterShape {
  int m = 1;
  int n = 1;

  ROOFTILE_FUNCTION constexpr int size() const { return m * n; }

  friend constexpr bool operator==(const ClusterShape&, const ClusterShape&) = default;
};

/// How stream-K distributes the tiles of C (`plan/stream.hpp`).
struct Stream {
  unsigned whole = 0;   ///< first tiles of all products, each computed by one block
  unsigned shared = 0;  ///< later tiles, which work units share
  unsigned units = 0;   ///< work units of the shared tiles; each has a thread block
  Index steps = 0;      ///< steps along K of a tile

  /// Thread blocks: one for each whole tile, then one for each work unit.
  ROOFTILE_FUNCTION unsigned blocks() const { return whole + units; }

  /// Partial sums: a part has the index unit + shared tile. The parts of a tile follow each other in the
  /// order of K.
  ROOFTILE_FUNCTION unsigned sums() const { return shared > 0 ? shared + units : 0; }

  /// The first step of a block, counted through all tiles.
  ROOFTILE_FUNCTION Index begin(unsigned block) const {
    if (block <= whole) return block * steps;
    return whole * steps + shared * steps * (block - whole) / units;
  }

  /// The work unit of a step of the shared tiles, counted through all units.
  ROOFTILE_FUNCTION unsigned unit_at(Index step) const {
    return static_cast<unsigned>(((step + 1) * units - 1) / (shared * steps));
  }

  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

}  // namespace detail

/// All decisions about a call. `explain` returns it, and `gemm` executes it. It is made on the host, and
/// nothing runs.
struct GemmPlan : Choice {
  GemmDesc desc = {};            ///< the products as they are computed, with row-major C
  Path path = Path::portable;    ///< the path that computes them
  std::string_view device = {};  ///< `Target::device`
  bool swapped = false;          ///< Cᵀ = Bᵀ·Aᵀ is computed; `a` and `b` then describe Bᵀ and Aᵀ
  OperandPlan a = {};            ///< how the kernel reads the first factor
  OperandPlan b = {};            ///< how the kernel reads the second factor
  bool vectors = false;          ///< threads copy both operands in whole vectors
  Index split_steps = 0;         ///< steps of a split of K: of a tile, or of 128 bytes for kernels with TMA
  Index split_k = 1;             ///< splits of K, whose sums are added in a fixed order
  detail::ClusterShape cluster = {};  ///< tiles of C that share A and B in kernels with TMA
  detail::Stream stream = {};         ///< work of stream-K kernels per launch
  detail::Stream stream_rest = {};    ///< work of the last launch, if it has fewer products
  bool together = false;              ///< shares a launch with other products of a group
  Index batch_chunk = 1;              ///< batch entries that share a workspace
  std::size_t workspace = 0;          ///< device memory in bytes, at a time; on CPUs, of the int8 modes
  void* memory = nullptr;             ///< the caller's workspace; a plan that is kept refers to it
  double seconds = 0;                 ///< expected time in seconds; 0: no costs for the kernel
  CpuAlgorithm algorithm = CpuAlgorithm::none;  ///< algorithm of the kernel `packed`
  CpuPlan cpu = {};                             ///< details of the kernel `packed`
  int threads = 0;               ///< threads of a CPU; 0: a GPU, or another kernel than `packed`
  bool single_threaded = false;  ///< the calling thread computes alone
  bool epilogue = false;         ///< an epilogue is applied (`gemm_fused`)
  int moduli = 0;                ///< of the int8 modes, if the caller gives it; 0: the guard decides
  Index columns = 0;             ///< int8 modes: columns of C that a thread, or a GPU, computes at a time
  Index rows = 0;                ///< int8 modes on a GPU: rows of C at a time
  /// Int8 modes on a GPU: the tile of `tensor_core`, which computes in fp64 if the guard requires it.
  TileShape fallback = {};
};

/// Returns the steps of a plan in their order, in words: `repack B`, `multiply`, `add the sums of 4 splits of
/// K`.
std::vector<std::string> steps_of(const GemmPlan& plan);

}  // namespace rooftile
