// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/refusal.hpp"

#include <span>
#include <string>
#include <string_view>

#include <catch2/catch_test_macros.hpp>

#include "plan/choose.hpp"
#include "plan/default_tile.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/error.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using testing::blocks, testing::cpu, testing::cube;
using testing::g80;
using testing::kib, testing::native, testing::portable, testing::refusal_of, testing::refused,
    testing::target_for, testing::today;

TEST_CASE("a kernel that fits is not refused", "[choose]") {
  for (const Rung& rung : ladder) {
    for (const ComputeMode math : rung.modes) {
      const Target target = target_for(rung, math);
      const auto of_cube = [&](TileShape tile) { return refusal(rung, cube, tile, target); };
      const TileShape chosen = default_tile(rung, cube, target);
      if (rung.fits == Fits::one_block) {
        CHECK(of_cube(chosen).code == Reason::shape);
      } else if (rung.fits == Fits::one_tile) {
        CHECK(of_cube(chosen).code == Reason::shape);
        for (const TileShape tile : detail::built_tiles(rung, target))
          CHECK(refusal(rung, {tile.bm, tile.bn, 100}, tile, target) == "");
      } else {
        CHECK(of_cube(chosen) == "");
        for (const TileShape tile : rung.tiles) {
          if (detail::is_built(rung, target.path, tile, target.type())) CHECK(of_cube(tile) == "");
        }
      }
    }
  }
}

/// A target with matrix instructions.
Target with_fragments(ComputeMode math, std::span<const ComputeMode> fragments) {
  Target target = portable(testing::hopper, math);
  target.warp_mma = fragments;
  return target;
}

/// A target with a given compute capability.
Target of_capability(int capability, ComputeMode math, Path path = Path::native) {
  return {path, today, math, {}, capability};
}

/// A kernel with a tile, and the expected reason and text of its refusal.
struct Case {
  Reason lack;
  Kernel kernel;
  GemmShape shape;
  TileShape tile;
  Target target = native();
  std::string_view named = "";
};

TEST_CASE("a refusal has a code, and names the values that are wrong", "[choose]") {
  constexpr Index large = Index{1} << 32;  // its square overflows to a small number
  constexpr TileShape fragments{64, 64, 16, 8, 4}, of_16_bits{32, 64, 32, 4, 4};
  const Target fp64 = portable(today, ComputeMode::fp64),
               blocks_of_16_kib = native({1024, 16 * kib}, ComputeMode::fp64),
               nvidia = with_fragments(ComputeMode::fp32, ladder_modes::warp_mma);
  const Case cases[] = {
      {Reason::nothing, Kernel::naive, {3, 5, 7}, cta(16, 16), portable()},
      {Reason::path, Kernel::single_block, {4, 4, 4}, cta(4, 4), portable(), "portable path (single_block)"},
      {Reason::hardware, Kernel::packed, cube, {}, portable(), "(packed)"},
      {Reason::hardware,
       Kernel::pipelined,
       cube,
       {},
       cpu(ComputeMode::fp64),
       "(pipelined): take one of naive, "},
      {Reason::hardware, Kernel::tensor_core, cube, {}, cpu(ComputeMode::fp64), "(tensor_core)"},
      {Reason::mode, Kernel::tiled, cube, square_tile(16), native(today, ComputeMode::tf32), "tf32 (tiled)"},
      {Reason::mode, Kernel::tensor_core, cube, fragments, native(), "fp32 (tensor_core)"},
      {Reason::instructions, Kernel::tensor_core, cube, fragments, fp64, "in fp64"},
      {Reason::instructions, Kernel::tensor_core, cube, fragments, nvidia, "in fp32"},
      {Reason::nothing, Kernel::tensor_core, cube, fragments,
       with_fragments(ComputeMode::fp32, ladder_modes::mfma)},
      {Reason::instructions, Kernel::tensor_core, cube, fragments,
       with_fragments(ComputeMode::tf32, ladder_modes::mfma), "compute in one of fp32, fp64, fp16, bf16"},
      {Reason::nothing, Kernel::tensor_core, cube, of_16_bits,
       with_fragments(ComputeMode::bf16, ladder_modes::mfma)},
      {Reason::instructions, Kernel::tensor_core, cube, of_16_bits, with_fragments(ComputeMode::bf16, {}),
       "(tensor_core): compute in one of fp32, fp64"},  // gfx1100, for one
      {Reason::instructions,
       Kernel::warpgroup,
       cube,
       {64, 64, 32, 1, 32},
       of_capability(80, ComputeMode::bf16)},
      {Reason::instructions, Kernel::tensor_core, cube, fragments, of_capability(70, ComputeMode::fp64),
       "8.0 or later (tensor_core, this device has 7.0): take one of single_block, naive, "},
      {Reason::tile, Kernel::tiled, cube, square_tile(12), native(),
       "(tiled 12x12x12): take one of 8x8x8, 16x16x16, 32x32x32"},
      {Reason::tile, Kernel::naive, cube, {16, 16, 16}, native(), "(naive 16x16x16)"},
      {Reason::tile, Kernel::tiled_checked, cube, {-8, -8, -8}, native(), "(tiled_checked -8x-8x-8)"},
      {Reason::tile, Kernel::tiled, cube, {16, 16, 16, 2, 1}, native(), "2x1 elements a thread"},
      {Reason::tile, Kernel::pipelined, cube, {128, 128, 16}, native(), "take 8x8"},
      {Reason::tile,
       Kernel::pipelined,
       cube,
       {128, 256, 8, 8, 16},
       native(today, ComputeMode::fp64),
       "take one of 128x128x16, 64x128x16, 64x64x16, 32x64x16"},
      {Reason::tile, Kernel::pipelined, cube, {128, 128, 16, 8, 8}, fp64, "take one of 64x64x16, 32x64x16"},
      {Reason::tile, Kernel::packed, cube, square_tile(16), cpu(), "(packed 16x16x16)"},
      // A run-time tile is square and at most 32 wide.
      {Reason::nothing, Kernel::tiled_dynamic, {3, 5, 7}, square_tile(16)},
      {Reason::nothing, Kernel::tiled_dynamic, cube, square_tile(1)},
      {Reason::nothing, Kernel::tiled_dynamic, cube, square_tile(32)},
      {Reason::tile, Kernel::tiled_dynamic, cube, {16, 8, 16}, native(), "(16x8x16)"},
      {Reason::tile, Kernel::tiled_dynamic, cube, {16, 16, 8}},
      {Reason::tile, Kernel::tiled_dynamic, cube, {8, 16, 16}},
      {Reason::tile, Kernel::tiled_dynamic, cube, {-8, -8, -8}},
      {Reason::tile, Kernel::tiled_dynamic, cube, {0, 0, 0, 1, 1}},
      {Reason::tile, Kernel::tiled_dynamic, cube, {16, 16, 16, 2, 1}},
      {Reason::tile, Kernel::tiled_dynamic, cube, {16, 16, 16, 1, 2}},
      {Reason::tile, Kernel::tiled_dynamic, cube, square_tile(33)},
      {Reason::tile, Kernel::tiled_dynamic, cube, square_tile(1 << 20)},
      // Without bounds checks, the tile must divide the product.
      {Reason::shape,
       Kernel::tiled,
       {65, 64, 32},
       square_tile(16),
       native(),
       "(m 65, n 64, k 32 by 16x16x16)"},
      {Reason::shape, Kernel::tiled, {64, 8, 32}, square_tile(16)},
      {Reason::shape, Kernel::tiled, {64, 64, 17}, square_tile(16)},
      {Reason::nothing, Kernel::tiled, {64, 64, 0}, square_tile(16)},
      {Reason::nothing, Kernel::tiled_checked, {65, 1, 17}, square_tile(16)},
      // One block computes all of C.
      {Reason::nothing, Kernel::single_block, {32, 32, 7}, cta(32, 32)},
      {Reason::shape, Kernel::single_block, {33, 32, 9}, cta(33, 32), native(), "(33 x 32 elements, 1024"},
      {Reason::nothing, Kernel::single_block, {1024, 1, 9}, cta(1024, 1)},
      {Reason::shape, Kernel::single_block, {1, 1025, 9}, cta(1, 1025)},
      {Reason::nothing, Kernel::single_block, {341, 3, 9}, cta(341, 3)},
      {Reason::shape, Kernel::single_block, {342, 3, 9}, cta(342, 3)},
      {Reason::shape,
       Kernel::single_block,
       {large, large, 1},
       cta(1, 1),
       native(),
       "4294967296 x 4294967296"},
      {Reason::tile, Kernel::single_block, {8, 8, 8}, cta(8, 4), native(), "(single_block 8x4, m 8, n 8)"},
      {Reason::tile, Kernel::single_block, {8, 8, 8}, cta(4, 8)},
      // The device limits the threads and the shared memory of a block.
      {Reason::memory, Kernel::tiled, cube, square_tile(32), native(g80),
       "threads than a block of this device (32x32x32, 512)"},
      {Reason::memory, Kernel::naive, cube, cta(32, 32), native(g80), "(32x32, 512)"},
      {Reason::memory, Kernel::tiled_dynamic, cube, square_tile(23), native(g80)},
      {Reason::nothing, Kernel::tiled_dynamic, cube, square_tile(22), native(g80)},
      {Reason::memory, Kernel::tiled, cube, square_tile(32), native({1024, 16 * kib - 1}, ComputeMode::fp64),
       "shared memory than a block of this device has (32x32x32, 16384 of 16383 bytes)"},
      {Reason::nothing, Kernel::tiled, cube, square_tile(32), blocks_of_16_kib},
      {Reason::nothing, Kernel::naive, cube, cta(32, 32), native({1024, 0}, ComputeMode::fp64)},
      {Reason::launch, Kernel::naive, {Index{1} << 40, Index{1} << 40, 1}, cta(16, 16)},
  };
  for (const auto& [lack, kernel, shape, tile, target, named] : cases) {
    INFO(rung_of(kernel).name << ' ' << to_string(tile) << " of " << to_string(shape) << ": " << named);
    const Refusal found = refusal(rung_of(kernel), shape, tile, target);
    CHECK(found.code == lack);
    CHECK(found.text.empty() == (lack == Reason::nothing));
    CHECK(found.text.find(named) != std::string::npos);
  }
  CHECK(refusal(rung_of(Kernel::tiled), cube, square_tile(16), native(), true).code == Reason::mode);
}

TEST_CASE("an error has the code of the refusal", "[choose]") {
  const auto thrown = [](const GemmOptions& options, const Target& target) {
    try {
      choose(cube, options, target);
    } catch (const Unsupported& refused) {
      return refused.code();
    }
    return Reason::nothing;
  };
  CHECK(thrown({.kernel = Kernel::warpgroup}, native()) == Reason::mode);
  CHECK(thrown({.kernel = Kernel::naive}, native(today, ComputeMode::bf16)) == Reason::mode);
  CHECK(thrown({}, native({32, 48 * kib})) == Reason::memory);
  CHECK(thrown({}, portable(today, ComputeMode::bf16)) == Reason::mode);
}

TEST_CASE("a CPU gets the packed kernel with the blocks of its caches", "[choose]") {
  CHECK(choose(cube, {}, cpu()).kernel == Kernel::packed);
  CHECK(choose(cube, {}, cpu()).tile == blocks);
}

TEST_CASE("a kernel is refused on a device that its instructions are not for", "[choose]") {
  Rung hopper = rung_of(Kernel::tiled), ampere = hopper;
  hopper.capabilities = {90, 90}, ampere.capabilities = {80};
  const auto on = [](const Rung& rung, int capability, Path path = Path::native) {
    return refusal(rung, cube, square_tile(16), of_capability(capability, ComputeMode::fp32, path));
  };
  CHECK(on(hopper, 90) == "");
  CHECK(on(hopper, 80).text.find("9.0 (tiled, this device has 8.0)") != std::string::npos);
  CHECK(on(hopper, 100).text.find("9.0 (tiled, this device has 10.0)") != std::string::npos);
  CHECK(on(ampere, 75).text.find("8.0 or later (tiled, this device has 7.5)") != std::string::npos);
  for (const int capability : {80, 86, 90, 120}) CHECK(on(ampere, capability) == "");
  CHECK(on(hopper, 0, Path::portable) == "");  // Kokkos compiles for its device
}

TEST_CASE("on the portable path TMA feeds tensor cores where the library is built for them", "[choose]") {
  Target target = portable(today, ComputeMode::bf16);
  target.warp_mma = ladder_modes::warp_mma;
  const TileShape tile = ladder_tiles::warpgroup[0];
  const Refusal without = refusal(rung_of(Kernel::warpgroup), cube, tile, target);
  CHECK(without.code == Reason::instructions);
  CHECK(without.text.find("take one of tensor_core, ") != std::string::npos);
  CHECK(choose(cube, {}, target).kernel == Kernel::tensor_core);
  target.wgmma = ladder_modes::wgmma;
  CHECK(refusal_of(Kernel::warpgroup, cube, tile, target) == "");
  CHECK(choose({4096, 4096, 4096}, {}, target).kernel == Kernel::warpgroup);
  for (const ComputeMode math : ladder_modes::wgmma) {
    target.math = math;
    CHECK(rung_of(choose({4096, 4096, 4096}, {}, target).kernel).tma);
  }
  target.math = ComputeMode::fp32;
  CHECK_FALSE(rung_of(choose({4096, 4096, 4096}, {}, target).kernel).tma);
}

TEST_CASE("the advice of a refusal is a kernel of the math mode, or another mode", "[choose]") {
  const auto advises = [](const Target& target, Kernel kernel) {
    const std::string name(rung_of(kernel).name);
    return (detail::instead(target) + ',').find(' ' + name + ',') != std::string::npos;
  };
  const Target fp32 = native(), fp64 = of_capability(70, ComputeMode::fp64),
               amd = with_fragments(ComputeMode::fp32, ladder_modes::mfma);
  for (const Target& target : {fp32, fp64, amd, cpu()}) {
    for (const Rung& rung : ladder) CHECK(advises(target, rung.kernel) == detail::computes(rung, target));
  }
  CHECK((advises(fp32, Kernel::split_k) && !advises(fp32, Kernel::tensor_core)));
  CHECK((advises(fp64, Kernel::pipelined) && !advises(fp64, Kernel::tensor_core)));
  CHECK((advises(amd, Kernel::tensor_core) && !advises(amd, Kernel::split_k)));
  CHECK((advises(cpu(), Kernel::packed) && !advises(cpu(), Kernel::pipelined)));
  CHECK(refused([] {
          choose(cube, {Kernel::tiled, {}, ComputeMode::tf32x3}, native());
        }).ends_with("tf32x3 (tiled): take one of warpgroup_tf32x3"));
  CHECK(detail::instead(portable(today, ComputeMode::automatic)) == "compute in one of fp32, fp64");
}

TEST_CASE("an error carries its message and the place that noticed", "[error]") {
  const int line = __LINE__ + 1;
  const Error error("too large (7): take a smaller one");
  CHECK(std::string_view(error.what()) == "too large (7): take a smaller one");
  CHECK(static_cast<int>(error.where().line()) == line);
  CHECK(std::string_view(error.where().file_name()).ends_with("refusal.cpp"));
}

}  // namespace
}  // namespace rooftile
