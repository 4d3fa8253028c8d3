// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>

#include "rooftile/kernel.hpp"
#include "rooftile/ladder_tiles.hpp"
#include "rooftile/tile.hpp"
#include "rooftile/types.hpp"

namespace rooftile {

/// Which shapes a kernel computes.
enum class Fits {
  any,                ///< any M, N, K
  multiples_of_tile,  ///< M, N and K multiples of the tile
  one_block,          ///< M·N is at most the number of threads of a block
  one_tile,           ///< C is at most one tile
};

/// The hardware that a kernel is for.
enum class RunsOn { anything, cpus, gpus };

/// The instructions that multiply.
enum class Engine {
  fma,       ///< multiply-adds of threads
  warp_mma,  ///< matrix instructions of a warp
  wgmma,     ///< matrix instructions of a warpgroup, on Hopper
};

/// Which thread blocks share a tile of C along K.
enum class SplitK {
  none,      ///< no block, or those of the plan, whose partial sums a second kernel adds
  stream_k,  ///< work units of stream-K share tiles that would leave SMs idle
  cluster,   ///< blocks of a cluster
};

/// Which tiles a kernel takes.
enum class Tiles {
  listed,      ///< the tiles in its row
  any_square,  ///< any T×T that fits a block, chosen at run time
  whole_c,     ///< one tile: all of C
  of_caches,   ///< blocks for a CPU's caches; not for other execution spaces
};

namespace ladder_modes {
inline constexpr ComputeMode numbers[] = {ComputeMode::fp32, ComputeMode::fp64, ComputeMode::cfp32,
                                          ComputeMode::cfp64};
/// The own modes of all types, also mixed ones, and the int8 modes.
inline constexpr ComputeMode cpus[] = {
    ComputeMode::fp32,      ComputeMode::fp64,       ComputeMode::fp16,      ComputeMode::bf16,
    ComputeMode::cfp32,     ComputeMode::cfp64,      ComputeMode::fp16_fp32, ComputeMode::bf16_fp32,
    ComputeMode::fp32_fp64, ComputeMode::int8_int32, ComputeMode::fp64_int8, ComputeMode::cfp64_int8,
    ComputeMode::fp8_fp32,  ComputeMode::fp8_bf16,   ComputeMode::fp8_fp16};
/// The own modes of the element types.
inline constexpr ComputeMode elements[] = {ComputeMode::fp32, ComputeMode::fp64,  ComputeMode::fp16,
                                           ComputeMode::bf16, ComputeMode::cfp32, ComputeMode::cfp64};
/// The modes of `elements`, and mixed modes with 32-bit accumulators as C.
inline constexpr ComputeMode elements_and_wide_c[] = {
    ComputeMode::fp32,      ComputeMode::fp64,      ComputeMode::fp16,
    ComputeMode::bf16,      ComputeMode::cfp32,     ComputeMode::cfp64,
    ComputeMode::fp16_fp32, ComputeMode::bf16_fp32, ComputeMode::int8_int32};
inline constexpr ComputeMode fp32[] = {ComputeMode::fp32};
inline constexpr ComputeMode of_fp32[] = {ComputeMode::fp32, ComputeMode::cfp32};
inline constexpr ComputeMode mfma[] = {ComputeMode::fp32,      ComputeMode::fp64,      ComputeMode::fp16,
                                       ComputeMode::bf16,      ComputeMode::fp16_fp32, ComputeMode::bf16_fp32,
                                       ComputeMode::int8_int32};  // AMD's matrix instructions
/// The modes of NVIDIA's warp-level MMA.
inline constexpr ComputeMode warp_mma[] = {
    ComputeMode::fp64,      ComputeMode::fp16,      ComputeMode::bf16,
    ComputeMode::tf32,      ComputeMode::cfp64,     ComputeMode::cfp32_tf32,
    ComputeMode::fp16_fp32, ComputeMode::bf16_fp32, ComputeMode::int8_int32};
inline constexpr ComputeMode real_warp_mma[] = {ComputeMode::fp64, ComputeMode::fp16, ComputeMode::bf16,
                                                ComputeMode::tf32};
/// Modes with one product for each product of elements, unlike tf32x3. A backend has only its own vendor's
/// matrix instructions among them.
inline constexpr ComputeMode one_product[] = {
    ComputeMode::fp32,      ComputeMode::fp64,      ComputeMode::fp16,       ComputeMode::bf16,
    ComputeMode::tf32,      ComputeMode::cfp64,     ComputeMode::cfp32_tf32, ComputeMode::fp16_fp32,
    ComputeMode::bf16_fp32, ComputeMode::int8_int32};
inline constexpr ComputeMode tensor_cores[] = {
    ComputeMode::fp16,      ComputeMode::bf16,      ComputeMode::tf32,
    ComputeMode::fp16_fp32, ComputeMode::bf16_fp32, ComputeMode::int8_int32,
    ComputeMode::fp8_fp32,  ComputeMode::fp8_bf16,  ComputeMode::fp8_fp16};
inline constexpr ComputeMode of_fp64[] = {ComputeMode::fp64, ComputeMode::cfp64};
inline constexpr ComputeMode tf32x3[] = {ComputeMode::tf32x3};
/// The modes of wgmma, which TMA feeds.
inline constexpr ComputeMode wgmma[] = {
    ComputeMode::fp16,       ComputeMode::bf16,      ComputeMode::tf32,      ComputeMode::tf32x3,
    ComputeMode::cfp32_tf32, ComputeMode::fp16_fp32, ComputeMode::bf16_fp32, ComputeMode::int8_int32,
    ComputeMode::fp8_fp32,   ComputeMode::fp8_bf16,  ComputeMode::fp8_fp16};
inline constexpr ComputeMode residues[] = {ComputeMode::fp64_int8, ComputeMode::cfp64_int8};
inline constexpr ComputeMode one_real_product[] = {ComputeMode::cfp32_tf32};
}  // namespace ladder_modes

/// Whether a list contains a mode.
constexpr bool contains(std::span<const ComputeMode> list, ComputeMode math) {
  return std::find(list.begin(), list.end(), math) != list.end();
}

/// The compute capabilities (major·10 + minor) that a native kernel runs on.
struct Capabilities {
  int min = 0;                                ///< the first one
  int max = std::numeric_limits<int>::max();  ///< the last one; instructions of one architecture end there

  /// Whether a capability is in the range.
  constexpr bool contain(int capability) const { return min <= capability && capability <= max; }
};

/// One row of the ladder: all properties of a kernel that the library, tests, bench and docs use.
struct Rung {
  Kernel kernel;                           ///< the kernel; not `automatic`
  std::string_view name;                   ///< the name on the command line and in files
  std::string_view idea;                   ///< a summary of the idea
  bool native = false;                     ///< a CUDA kernel exists
  bool portable = false;                   ///< a Kokkos kernel exists
  Fits fits = Fits::any;                   ///< shapes that it computes
  Tiles tiles_taken = Tiles::listed;       ///< source of its tiles
  std::span<const KernelTile> tiles = {};  ///< tiles, with modes and stages, for `Tiles::listed`
  TileShape default_tile = {};             ///< its tile; zero: from the device or C (`default_tile`)
  std::span<const ComputeMode> modes = ladder_modes::numbers;  ///< the modes, and so the element types
  Capabilities capabilities = {};                              ///< GPUs of the native kernel
  RunsOn runs_on = RunsOn::anything;                           ///< GPUs, CPUs or both
  int min_stages = 0;             ///< minimum panels of each operand in shared memory; 0: no panels
  Engine engine = Engine::fma;    ///< the instructions that multiply
  SplitK split_k = SplitK::none;  ///< thread blocks that share a tile along K
  int block_threads = 0;          ///< threads of a block with several tiles; 0: one block per tile
  bool tma = false;               ///< TMA copies operands; those it cannot read are repacked first
  bool complex_as_real = false;   ///< 1M: complex numbers are multiplied as real ones, in twice the steps
  bool fused = false;             ///< compiled with epilogues
  /// The modes on the portable path, of all backends together, if they differ from `modes`.
  std::span<const ComputeMode> portable_modes = {};
  /// The modes whose operands may be repacked if threads could only copy them element by element.
  std::span<const ComputeMode> repacks = {};
  std::span<const GroupTiles> groups = {};  ///< launches that products of a group share, in the own mode
  int preference = 0;                   ///< lower numbers are tried first; 0: only by the model or by name
  std::string_view preferred_for = {};  ///< products for which the planner prefers it

  /// Whether panels of the operands go through shared memory.
  constexpr bool has_panels() const { return min_stages > 0; }
  /// Whether matrix instructions of a warp multiply.
  constexpr bool is_warp_mma() const { return engine == Engine::warp_mma; }
  /// Whether a GPU computes fp64 from residues with it.
  constexpr bool is_for_residues() const { return engine == Engine::wgmma && takes_residues(modes.front()); }
  /// Whether it needs instructions of Hopper.
  constexpr bool is_for_hopper() const { return engine == Engine::wgmma || split_k == SplitK::cluster; }
  /// Whether it is for CPUs (true) or GPUs (false).
  constexpr bool is_for(bool cpu) const {
    return runs_on == RunsOn::anything || (runs_on == RunsOn::cpus) == cpu;
  }
  /// Whether a path has the kernel.
  constexpr bool on(Path path) const { return path == Path::native ? native : portable; }
  /// Returns the modes that it computes on a path.
  constexpr std::span<const ComputeMode> modes_on(Path path) const {
    return path == Path::portable && !portable_modes.empty() ? portable_modes : modes;
  }
  /// Whether it computes a mode on a path.
  constexpr bool supports(ComputeMode math, Path path) const { return contains(modes_on(path), math); }
};

/// The table of kernels.
// clang-format off
inline constexpr Rung ladder[] = {
    {.kernel = Kernel::single_block, .name = "single_block",
     .idea = "one block, one thread per element of C",
     .native = true, .fits = Fits::one_block, .tiles_taken = Tiles::whole_c},
    {.kernel = Kernel::naive, .name = "naive",
     .idea = "as many blocks as C needs; dot products straight from global memory",
     .native = true, .portable = true, .tiles = ladder_tiles::ctas, .default_tile = cta(16, 16)},
    {.kernel = Kernel::tiled, .name = "tiled",
     .idea = "tiles of A and B shared by a block: 1/T of the global traffic",
     .native = true, .portable = true, .fits = Fits::multiples_of_tile, .tiles = ladder_tiles::squares,
     .default_tile = square_tile(32),
     .preference = 10, .preferred_for = "the tile divides m, n and k, so no bounds are checked"},
    {.kernel = Kernel::tiled_checked, .name = "tiled_checked",
     .idea = "loads outside a matrix give 0, stores outside are skipped",
     .native = true, .portable = true, .tiles = ladder_tiles::squares, .default_tile = square_tile(32),
     .preference = 11, .preferred_for = "the tile does not divide m, n and k, so bounds are checked"},
    {.kernel = Kernel::tiled_dynamic, .name = "tiled_dynamic",
     .idea = "shared memory sized at run time: the device chooses T",
     .native = true, .portable = true, .tiles_taken = Tiles::any_square},
    {.kernel = Kernel::packed, .name = "packed",
     .idea = "CPUs: panels of A and B packed for the caches, C in the vector registers",
     .portable = true, .tiles_taken = Tiles::of_caches, .modes = ladder_modes::cpus, .runs_on = RunsOn::cpus,
     .preference = 6, .preferred_for = "a CPU: blocks for its caches, vectors in its registers"},
    {.kernel = Kernel::register_blocked, .name = "register_blocked",
     .idea = "TM x TN elements of C per thread: a value from shared memory is used TM or TN times",
     .native = true, .portable = true, .tiles = ladder_tiles::register_blocked,
     .default_tile = ladder_tiles::register_blocked[0], .runs_on = RunsOn::gpus, .min_stages = 1,
     .preference = 9, .preferred_for = "a GPU; its blocks have room for one panel of each operand, not for two"},
    {.kernel = Kernel::pipelined, .name = "pipelined",
     .idea = "panels are copied asynchronously while earlier ones are multiplied",
     .native = true, .portable = true, .tiles = ladder_tiles::pipelined,
     .default_tile = ladder_tiles::pipelined[1], .runs_on = RunsOn::gpus, .min_stages = 2, .fused = true,
     .repacks = ladder_modes::fp32, .groups = ladder_tiles::grouped,
     .preference = 8, .preferred_for = "a GPU; of its tiles the one that keeps the SMs busiest"},
    {.kernel = Kernel::tensor_core, .name = "tensor_core",
     .idea = "the same pipeline feeds the warps' matrix instructions",
     .native = true, .portable = true, .tiles = ladder_tiles::tensor_core,
     .default_tile = ladder_tiles::tensor_core[9], .modes = ladder_modes::warp_mma,
     .capabilities = {80}, .runs_on = RunsOn::gpus, .min_stages = 2, .engine = Engine::warp_mma, .fused = true,
     .portable_modes = ladder_modes::one_product, .repacks = ladder_modes::real_warp_mma,
     .groups = ladder_tiles::grouped_warp_mma,
     .preference = 7, .preferred_for = "matrix instructions; the tile that keeps the SMs busiest"},
    // Natively every GPU with the rung has matrix instructions in fp64.
    {.kernel = Kernel::stream_k, .name = "stream_k",
     .idea = "tiles that would not fill the SMs are shared along K, summed in a fixed order",
     .native = true, .portable = true, .tiles = ladder_tiles::stream_k,
     .default_tile = ladder_tiles::stream_k[1], .modes = ladder_modes::of_fp32, .capabilities = {80},
     .runs_on = RunsOn::gpus, .min_stages = 2, .split_k = SplitK::stream_k,
     .portable_modes = ladder_modes::numbers},
    {.kernel = Kernel::stream_k_tensor_core, .name = "stream_k_tensor_core",
     .idea = "the same for the warps' matrix instructions, 16 bits summed in fp32",
     .native = true, .portable = true, .tiles = ladder_tiles::stream_k_tensor_core,
     .default_tile = ladder_tiles::stream_k_tensor_core[3], .modes = ladder_modes::warp_mma,
     .capabilities = {80}, .runs_on = RunsOn::gpus, .min_stages = 2, .engine = Engine::warp_mma,
     .split_k = SplitK::stream_k, .portable_modes = ladder_modes::one_product},
    {.kernel = Kernel::warpgroup, .name = "warpgroup",
     .idea = "Hopper's tensor cores: a warpgroup copies tiles by TMA, others multiply them by wgmma",
     .native = true, .portable = true, .tiles = ladder_tiles::warpgroup,
     .default_tile = ladder_tiles::warpgroup[0], .modes = ladder_modes::tensor_cores,
     .capabilities = {90, 90}, .runs_on = RunsOn::gpus, .engine = Engine::wgmma, .tma = true,
     .preference = 2, .preferred_for = "tensor cores of compute capability 9.0"},
    {.kernel = Kernel::warpgroup_tf32x3, .name = "warpgroup_tf32x3",
     .idea = "fp32 from three products in tf32, summed in fp32 from stage to stage",
     .native = true, .portable = true, .tiles = ladder_tiles::warpgroup_tf32x3,
     .default_tile = ladder_tiles::warpgroup_tf32x3[0], .modes = ladder_modes::tf32x3,
     .capabilities = {90, 90}, .runs_on = RunsOn::gpus, .engine = Engine::wgmma, .tma = true,
     .preference = 3, .preferred_for = "tensor cores of compute capability 9.0"},
    {.kernel = Kernel::small_batched, .name = "small_batched",
     .idea = "tiles of several small batch entries in one thread block, a few threads each",
     .native = true, .portable = true, .fits = Fits::one_tile, .tiles = ladder_tiles::small_batched,
     .default_tile = ladder_tiles::small_batched[2], .modes = ladder_modes::elements_and_wide_c,
     .runs_on = RunsOn::gpus, .block_threads = 128,
     .preference = 1, .preferred_for = "batch entries so small that several share a thread block"},
    {.kernel = Kernel::warpgroup_int8, .name = "warpgroup_int8",
     .idea = "fp64 from exact products of int8 modulo 13 to 16 numbers, and fp64 itself behind a guard",
     .native = true, .tiles = ladder_tiles::warpgroup_int8,
     .default_tile = ladder_tiles::warpgroup_int8[0], .modes = ladder_modes::residues,
     .capabilities = {90, 90}, .runs_on = RunsOn::gpus, .engine = Engine::wgmma,
     .preference = 5},
    {.kernel = Kernel::warpgroup_1m, .name = "warpgroup_1m",
     .idea = "1M: complex numbers multiplied as real ones, twice as many columns of B and steps along K",
     .native = true, .portable = true, .tiles = ladder_tiles::warpgroup_1m,
     .default_tile = ladder_tiles::warpgroup_1m[0], .modes = ladder_modes::one_real_product,
     .capabilities = {90, 90}, .runs_on = RunsOn::gpus, .engine = Engine::wgmma, .tma = true,
     .complex_as_real = true,
     .preference = 4, .preferred_for = "tensor cores of compute capability 9.0"},
    {.kernel = Kernel::split_k, .name = "split_k",
     .idea = "K is split over the thread blocks of a cluster, which add their sums in shared memory",
     .native = true, .portable = true, .tiles = ladder_tiles::split_k,
     .default_tile = ladder_tiles::split_k[1], .modes = ladder_modes::of_fp32, .capabilities = {90, 90},
     .runs_on = RunsOn::gpus, .min_stages = 2, .split_k = SplitK::cluster},
    {.kernel = Kernel::split_k_tensor_core, .name = "split_k_tensor_core",
     .idea = "the same for the warps' matrix instructions",
     .native = true, .portable = true, .tiles = ladder_tiles::split_k_tensor_core,
     .default_tile = ladder_tiles::split_k_tensor_core[1], .modes = ladder_modes::of_fp64,
     .capabilities = {90, 90}, .runs_on = RunsOn::gpus, .min_stages = 2, .engine = Engine::warp_mma,
     .split_k = SplitK::cluster},
};
// clang-format on

/// Returns the threads of a thread block, or team, that computes with a tile. @pre the tile is not the
/// default
constexpr int threads_of_block(const Rung& rung, TileShape tile) {
  return rung.block_threads > 0 ? rung.block_threads : tile.threads();
}

/// The number of kernels.
inline constexpr std::size_t rung_count = std::size(ladder);

/// Returns the highest rung that has panels, an engine and a way of splitting K. @pre there is one
constexpr const Rung& rung_with(Engine engine, SplitK split_k = SplitK::none) {
  return *std::find_if(std::rbegin(ladder), std::rend(ladder), [=](const Rung& rung) {
    return rung.engine == engine && rung.split_k == split_k && rung.has_panels();
  });
}

/// Whether a path has a GPU kernel for a mode.
constexpr bool has_gpu_kernel(ComputeMode math, Path path) {
  return std::any_of(std::begin(ladder), std::end(ladder), [=](const Rung& rung) {
    return rung.on(path) && rung.is_for(false) && rung.supports(math, path);
  });
}

/// Returns the row of a kernel. @pre `kernel` is not `automatic`
constexpr const Rung& rung_of(Kernel kernel) {
  return ladder[static_cast<std::size_t>(kernel)];
}

}  // namespace rooftile
