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

/// How an operand X (K,X) lies in every product of a batch: whether its lines run along k, whether all that
/// is read of them comes in whole vectors, or, of 16 bits, at least in pairs, and what TMA reads it as.
struct OperandAlignment {
  bool k_major = false;
  bool whole = true;
  bool pairs = true;
  bool tma_k = false;   ///< lines along k
  bool tma_mn = true;   ///< lines along x
  bool shared = false;  ///< all batch entries of a launch have one

  /// Whether threads copy vectors to panels: those of matrix instructions have the operand's own lines,
  /// others lines along x, which is M of A and N of B.
  constexpr bool vectors(bool fragments) const { return whole && (fragments || !k_major); }

  /// What holds of these and of others of the same matrix.
  constexpr OperandAlignment and_also(const OperandAlignment& x) const {
    return {k_major, whole && x.whole, pairs && x.pairs, tma_k && x.tma_k, tma_mn && x.tma_mn, shared};
  }

  friend constexpr bool operator==(const OperandAlignment&, const OperandAlignment&) = default;
};

/// How both operands lie, A seen transposed, and so of which of them threads copy vectors to panels.
struct OperandAlignments {
  OperandAlignment a;
  OperandAlignment b;

  /// Those of Cᵀ = Bᵀ·Aᵀ.
  constexpr OperandAlignments swapped() const { return {b, a}; }

  constexpr bool all(bool fragments) const { return a.vectors(fragments) && b.vectors(fragments); }

  friend constexpr bool operator==(const OperandAlignments&, const OperandAlignments&) = default;
};

}  // namespace detail

/// What TMA can store of C, in every product of a batch.
struct ResultLines {
  bool rows = true;      ///< its rows
  bool columns = false;  ///< its columns

  /// Member by member.
  friend constexpr bool operator==(const ResultLines&, const ResultLines&) = default;
};

/// How the rows and columns of an operand follow each other, as far as a plan for a CPU depends on it.
struct CpuStrides {
  bool unit_row = false;     ///< a row begins one element behind the one before
  bool unit_col = false;     ///< so does a column
  bool crowded_row = false;  ///< rows begin multiples of 4,096 bytes apart, in the same few places of L1
  bool crowded_col = false;  ///< so do columns

  /// Those of the transpose.
  constexpr CpuStrides transposed() const { return {unit_col, unit_row, crowded_col, crowded_row}; }
  /// Member by member.
  friend constexpr bool operator==(const CpuStrides&, const CpuStrides&) = default;
};

/// All that a plan depends on: products with equal descriptions have equal plans.
struct GemmDesc {
  GemmShape shape;                           ///< of each product
  Type type = Type::fp32;                    ///< of the elements of A and B
  Index count = 1;                           ///< batch entries; of two dimensions, of the inner one
  detail::OperandAlignments alignment = {};  ///< how A and B lie
  ResultLines result = {};                   ///< how C lies
  bool by_pointers = false;                  ///< an array of pointers says where matrices of A, B or C lie
  Type result_type = Type::fp32;             ///< of the elements of C
  Index outer = 1;                           ///< batch entries of the outer one of two dimensions
  bool reads_c = false;                      ///< beta is not zero
  CpuStrides cpu_a = {};                     ///< on CPUs, of A
  CpuStrides cpu_b = {};                     ///< on CPUs, of B

  /// Member by member.
  friend constexpr bool operator==(const GemmDesc&, const GemmDesc&) = default;
};

/// The kernel that a product gets, and why.
struct Choice {
  Kernel kernel = Kernel::automatic;          ///< not `automatic` of a choice that was made
  TileShape tile = {};                        ///< that it computes in
  std::string_view why = {};                  ///< in a few words; lives as long as the program
  ComputeMode math = ComputeMode::automatic;  ///< not `automatic` either
  bool repack = false;  ///< operands that threads would copy element by element are repacked first
  bool tuned = false;   ///< from `GemmOptions::tuning`
};

/// How a kernel gets an operand.
struct OperandPlan {
  bool repack = false;   ///< as a copy, made first
  bool k_major = false;  ///< with lines along k
};

/// How the kernel `packed` computes on a CPU.
enum class CpuAlgorithm {
  none,          ///< another kernel
  unpacked,      ///< tiles of C, A and B read where they are
  dot_products,  ///< vectors along K
  skinny_m,      ///< B read row by row
  panels,        ///< blocks for the caches, packed where that pays
};

/// In words; empty for `none`.
std::string_view to_string(CpuAlgorithm algorithm);

/// How a product of complex numbers whose one operand is small is computed as one of real numbers, in which
/// the large operand stays where it lies.
enum class CpuParts {
  none,     ///< it is not: by the micro-kernels of complex numbers
  rows,     ///< the large operand read by rows, (k,2n)
  columns,  ///< by columns, (2k,n)
};

/// Elements of a CPU's workspace.
struct CpuWorkspace {
  Index a = 0;        ///< a thread's block of A
  Index b = 0;        ///< a panel of B
  Index c = 0;        ///< the sums of a split of K, or of some rows and columns
  Index blocks = 0;   ///< of A: one for each thread that computes
  Index panels = 0;   ///< of B: one for the team, or for each thread where K is split
  Index split_k = 0;  ///< of K

  /// Of all of it.
  constexpr Index elements() const { return a * blocks + b * panels + c * split_k; }
};

/// How the kernel `packed` computes on a CPU. Made once, by `plan`; a call runs it.
struct CpuPlan {
  CpuAlgorithm algorithm = CpuAlgorithm::none;  ///< `none`: there is no plan
  TileShape blocks = {};                        ///< MC,NC,KC and MR,NR
  bool swapped = false;                         ///< Cᵀ = Bᵀ·Aᵀ is computed
  bool single_threaded = false;                 ///< a product is little for one thread
  bool pack_a = false;                          ///< whether A is packed
  bool pack_b = false;      ///< whether B is packed, or, of a product that is computed in place, copied
  int split_k = 1;          ///< partial sums, which are added in their order
  Index rows_of_sums = 0;   ///< of C of 16 bits, whose accumulators are in the workspace until K ends
  bool in_l2 = false;       ///< A and B fit it together
  int independent = 1;      ///< threads that compute some products of a batch each
  int cooperative = 1;      ///< threads that share each product
  CpuWorkspace space = {};  ///< of all threads, or of each where they are independent
  CpuParts parts = CpuParts::none;  ///< then all else is of the product of real numbers
  bool swapped_parts = false;       ///< the small operand was B
  Index columns = 0;                ///< of the large operand that are multiplied at a time
};

namespace detail {

/// The tiles of C, `m` by `n`, of a cluster: blocks in a row share a tile of A, those in a column one of B.
struct ClusterShape {
  int m = 1;
  int n = 1;

  ROOFTILE_FUNCTION constexpr int size() const { return m * n; }

  friend constexpr bool operator==(const ClusterShape&, const ClusterShape&) = default;
};

/// How stream-K deals out C (`plan/stream.hpp`).
struct Stream {
  unsigned whole = 0;   ///< tiles, the first ones, of all products, that one block computes
  unsigned shared = 0;  ///< tiles after them
  unsigned units = 0;   ///< of work that those are dealt out in, each a block's
  Index steps = 0;      ///< of a tile along K

  /// Blocks in all: one for each whole tile, then one for each work unit.
  ROOFTILE_FUNCTION unsigned blocks() const { return whole + units; }

  /// A part is at unit + shared tile among the sums: from part to part one of them grows or both do. So a
  /// tile's lie behind each other, in the order of K.
  ROOFTILE_FUNCTION unsigned sums() const { return shared > 0 ? shared + units : 0; }

  /// The first of a block's steps, counted through all tiles.
  ROOFTILE_FUNCTION Index begin(unsigned block) const {
    if (block <= whole) return block * steps;
    return whole * steps + shared * steps * (block - whole) / units;
  }

  /// The work unit, of all, that a step of the shared tiles belongs to.
  ROOFTILE_FUNCTION unsigned unit_at(Index step) const {
    return static_cast<unsigned>(((step + 1) * units - 1) / (shared * steps));
  }

  friend constexpr bool operator==(const Stream&, const Stream&) = default;
};

}  // namespace detail

/// How products are computed, and why: all that is decided of a call. Made on the host without running
/// anything; `explain` returns what `gemm` runs.
struct GemmPlan : Choice {
  GemmDesc desc = {};            ///< of the products as they are computed: with C's rows one behind the other
  Path path = Path::portable;    ///< that computes it
  std::string_view device = {};  ///< `Target::device`
  bool swapped = false;          ///< Cᵀ = Bᵀ·Aᵀ is computed; A and B below are Bᵀ and Aᵀ then
  OperandPlan a = {};            ///< how the kernel gets the first factor
  OperandPlan b = {};            ///< and the second
  bool vectors = false;          ///< threads copy both operands in whole vectors
  Index split_steps = 0;         ///< along K that a split takes: of a tile, or of 128 bytes where TMA feeds
  Index split_k = 1;             ///< of K, each with sums of its own, which are added in a fixed order
  detail::ClusterShape cluster = {};  ///< tiles of C whose blocks share A and B, where TMA feeds
  detail::Stream stream = {};         ///< what the rungs that share tiles deal out at a time
  detail::Stream stream_rest = {};    ///< of the last products, where these are fewer
  bool together = false;              ///< in a launch with other products of a group
  Index batch_chunk = 1;              ///< batch entries that have a workspace together
  std::size_t workspace = 0;          ///< bytes of device memory at a time
  void* memory = nullptr;             ///< where it is, if the caller's; a plan that is kept refers to it
  double seconds = 0;                 ///< expected; 0: there are no costs for the kernel
  CpuAlgorithm algorithm = CpuAlgorithm::none;  ///< of the kernel `packed`
  CpuPlan cpu = {};                             ///< of the kernel `packed`
  int threads = 0;                              ///< of a CPU; 0: a GPU, or another kernel than `packed`
  bool single_threaded = false;                 ///< the calling thread computes by itself
  bool epilogue = false;                        ///< elements of C go through one (`gemm_fused`)
  int moduli = 0;     ///< of residues, where the caller names them; 0: as many as the guard finds
  Index columns = 0;  ///< there: of C that a thread, or on a GPU all, has a workspace for at a time
  Index rows = 0;     ///< there, on a GPU
  /// There, on a GPU: the tile of `tensor_core`, which computes in fp64 itself where the guard asks for it.
  TileShape fallback = {};
};

/// What is done, in its order, in words: `repack B`, `multiply`, `add the sums of 4 splits of K`.
std::vector<std::string> steps_of(const GemmPlan& plan);

}  // namespace rooftile
