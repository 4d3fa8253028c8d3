// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/refusal.hpp"

#include <string>
#include <string_view>
#include <utility>

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
    for (const Math math : rung.maths) {
      const Target target = target_for(rung, math);
      const auto of_cube = [&](TileShape tile) { return refusal(rung, cube, tile, target); };
      const TileShape chosen = default_tile(rung, cube, target);
      if (rung.fits == Fits::one_block) {
        CHECK(of_cube(chosen) ==
              "C is too large for one block (64 x 64 elements, 1024 threads): take the kernel naive "
              "or a rung above it");
      } else if (rung.fits == Fits::one_tile) {
        CHECK(of_cube(chosen) == "C is larger than the tile (64 x 64 elements, tile " + to_string(chosen) +
                                     "): take a larger tile or another kernel");
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
  CHECK(refusal_of(Kernel::single_block, {32, 32, 7}, cta(32, 32)) == "");
  CHECK(refusal_of(Kernel::tiled_dynamic, {3, 5, 7}, square_tile(16)) == "");
  CHECK(refusal_of(Kernel::naive, {3, 5, 7}, cta(16, 16), portable()) == "");
}

TEST_CASE("a refusal has a code, which the error has, too", "[choose]") {
  const auto code = [](Kernel kernel, GemmShape shape, TileShape tile, const Target& target = native(),
                       bool repack = false) {
    return refusal(rung_of(kernel), shape, tile, target, repack).code;
  };
  CHECK(code(Kernel::tiled, cube, square_tile(16)) == Lack::nothing);
  CHECK(code(Kernel::single_block, {4, 4, 4}, cta(4, 4), portable()) == Lack::path);
  CHECK(code(Kernel::packed, cube, {}, portable()) == Lack::hardware);
  CHECK(code(Kernel::tiled, cube, square_tile(16), native(today, Math::tf32)) == Lack::mode);
  CHECK(code(Kernel::tiled, cube, square_tile(16), native(), true) == Lack::mode);
  CHECK(code(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, portable(today, Math::fp64)) ==
        Lack::instructions);
  CHECK(code(Kernel::warpgroup, cube, {64, 64, 32, 1, 32}, {Path::native, today, Math::bf16, {}, 80}) ==
        Lack::instructions);
  CHECK(code(Kernel::tiled, cube, square_tile(12)) == Lack::tile);
  CHECK(code(Kernel::tiled_dynamic, cube, square_tile(64)) == Lack::tile);
  CHECK(code(Kernel::packed, cube, square_tile(16), cpu()) == Lack::tile);
  CHECK(code(Kernel::tiled, {65, 64, 64}, square_tile(16)) == Lack::shape);
  CHECK(code(Kernel::single_block, cube, cta(64, 64)) == Lack::shape);
  CHECK(code(Kernel::tiled, cube, square_tile(32), native({1024, 4 * kib})) == Lack::room);
  CHECK(code(Kernel::naive, {Index{1} << 40, Index{1} << 40, 1}, cta(16, 16)) == Lack::launch);
  const auto thrown = [](const GemmOptions& options, const Target& target) {
    try {
      choose(cube, options, target);
    } catch (const Refused& refused) {
      return refused.code();
    }
    return Lack::nothing;
  };
  CHECK(thrown({.kernel = Kernel::warpgroup}, native()) == Lack::mode);
  CHECK(thrown({}, native({32, 48 * kib})) == Lack::room);
  CHECK(thrown({}, portable(today, Math::bf16)) == Lack::mode);
}

TEST_CASE("a kernel that is not on the path is refused", "[choose]") {
  CHECK(refusal_of(Kernel::single_block, {4, 4, 4}, cta(4, 4), portable()) ==
        "kernel not on the portable path (single_block): take one of naive, tiled, tiled_checked, "
        "tiled_dynamic, register_blocked, pipelined, stream_k, small_batched");
}

TEST_CASE("a tile that was not built is refused", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(12)) ==
        "tile not built (tiled 12x12x12): take one of 8x8x8, 16x16x16, 32x32x32");
  CHECK(refusal_of(Kernel::naive, cube, {16, 16, 16}) ==
        "tile not built (naive 16x16x16): take one of 16x16, 32x32, 32x8, 8x32, 4x64");
  CHECK(refusal_of(Kernel::tiled_checked, cube, {-8, -8, -8})
            .starts_with("tile not built (tiled_checked -8x-8x-8)"));
  CHECK(refusal_of(Kernel::tiled, cube, {16, 16, 16, 2, 1}) ==
        "tile not built with 2x1 elements a thread (tiled 16x16x16): take it with 1x1");
  CHECK(refusal_of(Kernel::pipelined, cube, {128, 128, 16}) ==
        "tile not built with 1x1 elements a thread (pipelined 128x128x16): take it with 8x8");
}

TEST_CASE("a tile that is not built for the element type or the path is refused", "[choose]") {
  CHECK(refusal_of(Kernel::pipelined, cube, {128, 256, 8, 8, 16}, native(today, Math::fp64)) ==
        "tile not built for fp64 on the native path (pipelined 128x256x8): take one of 128x128x16, "
        "64x128x16, 64x64x16, 32x64x16");
  CHECK(
      refusal_of(Kernel::pipelined, cube, {128, 128, 16, 8, 8}, portable(today, Math::fp64)) ==
      "tile not built for fp64 on the portable path (pipelined 128x128x16): take one of 64x64x16, 32x64x16");
}

TEST_CASE("a run-time tile that is not square or too wide is refused", "[choose]") {
  CHECK(refusal_of(Kernel::tiled_dynamic, cube, {16, 8, 16}) ==
        "no such run-time tile (16x8x16): take a square one of at most 32x32");
  for (const TileShape tile : {TileShape{16, 16, 8},
                               {8, 16, 16},
                               {-8, -8, -8},
                               {0, 0, 0, 1, 1},
                               {16, 16, 16, 2, 1},
                               {16, 16, 16, 1, 2},
                               square_tile(33),
                               square_tile(1 << 20)}) {
    CHECK(refusal_of(Kernel::tiled_dynamic, cube, tile) ==
          "no such run-time tile (" + to_string(tile) + "): take a square one of at most 32x32");
  }
  for (const int width : {1, 7, 31, 32})
    CHECK(refusal_of(Kernel::tiled_dynamic, cube, square_tile(width)) == "");
}

TEST_CASE("a tile that does not divide the product is refused where no bounds are checked", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, {65, 64, 32}, square_tile(16)) ==
        "tile does not divide the product (m 65, n 64, k 32 by 16x16x16): take another tile or the kernel "
        "tiled_checked");
  CHECK(refusal_of(Kernel::tiled, {64, 8, 32}, square_tile(16)) != "");
  CHECK(refusal_of(Kernel::tiled, {64, 64, 17}, square_tile(16)) != "");
  CHECK(refusal_of(Kernel::tiled, {64, 64, 0}, square_tile(16)) == "");
  CHECK(refusal_of(Kernel::tiled_checked, {65, 1, 17}, square_tile(16)) == "");
}

TEST_CASE("a C larger than one block is refused by single_block", "[choose]") {
  CHECK(refusal_of(Kernel::single_block, {33, 32, 9}, cta(33, 32))
            .starts_with("C is too large for one block (33 x 32 elements, 1024 threads)"));
  CHECK(refusal_of(Kernel::single_block, {1024, 1, 9}, cta(1024, 1)) == "");
  CHECK(refusal_of(Kernel::single_block, {1, 1025, 9}, cta(1, 1025)) != "");
  CHECK(refusal_of(Kernel::single_block, {341, 3, 9}, cta(341, 3)) == "");
  CHECK(refusal_of(Kernel::single_block, {342, 3, 9}, cta(342, 3)) != "");
  // A product of the extents that is small in 32 or 64 bits only because it overflowed.
  const Index large = Index{1} << 32;
  CHECK(refusal_of(Kernel::single_block, {large, large, 1}, cta(1, 1))
            .starts_with("C is too large for one block (4294967296 x 4294967296 elements, 1024 threads)"));
}

TEST_CASE("single_block takes no other tile than all of C", "[choose]") {
  CHECK(refusal_of(Kernel::single_block, {8, 8, 8}, cta(8, 4)) ==
        "tile is not all of C (single_block 8x4, m 8, n 8): name no tile");
  CHECK(refusal_of(Kernel::single_block, {8, 8, 8}, cta(4, 8)) != "");
}

TEST_CASE("a tile of more threads than a block has is refused", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(32), native(g80)) ==
        "tile has more threads than a block of this device (32x32x32, 512): take a smaller tile");
  CHECK(refusal_of(Kernel::naive, cube, cta(32, 32), native(g80))
            .starts_with("tile has more threads than a block of this device (32x32, 512)"));
  CHECK(refusal_of(Kernel::tiled_dynamic, cube, square_tile(23), native(g80)) != "");
  CHECK(refusal_of(Kernel::tiled_dynamic, cube, square_tile(22), native(g80)) == "");
}

TEST_CASE("a tile of more shared memory than a block has is refused", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(32), native({1024, 16 * kib - 1}, Math::fp64))
            .starts_with("tile needs more shared memory than a block of this device has (32x32x32, 16384 of "
                         "16383 bytes)"));
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(32), native({1024, 16 * kib}, Math::fp64)) == "");
  CHECK(refusal_of(Kernel::naive, cube, cta(32, 32), native({1024, 0}, Math::fp64)) == "");
}

TEST_CASE("the packed rung is for CPUs, with the blocks of their caches", "[choose]") {
  CHECK(choose(cube, {}, cpu()).kernel == Kernel::packed);
  CHECK(choose(cube, {}, cpu()).tile == blocks);
  CHECK(refusal(rung_of(Kernel::packed), cube, square_tile(16), cpu())
            .text.starts_with("blocks not those of this CPU's caches (packed 16x16x16)"));
  CHECK(refusal(rung_of(Kernel::packed), cube, {}, portable())
            .text.starts_with("kernel for CPUs, which this device is not one of (packed)"));
}

TEST_CASE("the rungs for GPUs are refused on a CPU", "[choose]") {
  for (const Kernel kernel :
       {Kernel::register_blocked, Kernel::pipelined, Kernel::tensor_core, Kernel::stream_k}) {
    const Rung& rung = rung_of(kernel);
    CHECK(refusal(rung, cube, rung.default_tile, cpu(Math::fp64)) ==
          "kernel for GPUs, which this device is not one of (" + std::string(rung.name) +
              "): take one of naive, tiled, tiled_checked, tiled_dynamic, packed");
  }
}

TEST_CASE("a kernel is refused in a math mode that it does not compute in", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(16), native(today, Math::tf32)) ==
        "kernel does not compute in tf32 (tiled): " + detail::instead(native(today, Math::tf32)));
  CHECK(refused([] {
          choose(cube, {Kernel::tiled, {}, Math::tf32x3}, native());
        }) == "kernel does not compute in tf32x3 (tiled): take one of warpgroup_tf32x3");
  CHECK(refused([] { choose(cube, {Kernel::naive, {}}, native(today, Math::bf16)); }) != "");
}

TEST_CASE("a kernel is refused on a device that its instructions are not for", "[choose]") {
  Rung hopper = rung_of(Kernel::tiled), ampere = hopper;
  hopper.capabilities = {90, 90}, ampere.capabilities = {80};
  const std::string instead =
      "take one of single_block, naive, tiled, tiled_checked, tiled_dynamic, register_blocked, pipelined";
  const auto on = [](const Rung& rung, int capability, Path path = Path::native) {
    return refusal(rung, cube, square_tile(16), {path, today, Math::fp32, {}, capability});
  };
  CHECK(on(hopper, 90) == "");
  CHECK(on(hopper, 80) == "kernel needs compute capability 9.0 (tiled, this device has 8.0): " + instead +
                              ", stream_k, small_batched");
  CHECK(on(hopper, 100) == "kernel needs compute capability 9.0 (tiled, this device has 10.0): " + instead +
                               ", stream_k, small_batched");
  CHECK(on(ampere, 75) == "kernel needs compute capability 8.0 or later (tiled, this device has 7.5): " +
                              instead + ", small_batched");
  for (const int capability : {80, 86, 90, 120}) CHECK(on(ampere, capability) == "");
  CHECK(on(hopper, 0, Path::portable) == "");  // Kokkos compiles for the device that it has
}

TEST_CASE("on the portable path TMA feeds tensor cores where the library is built for them", "[choose]") {
  Target target = portable(today, Math::bf16);
  target.fragments = ladder_maths::fragments;
  const TileShape tile = ladder_tiles::warpgroups[0];
  CHECK(refusal(rung_of(Kernel::warpgroup), cube, tile, target).code == Lack::instructions);
  CHECK(refusal_of(Kernel::warpgroup, cube, tile, target) ==
        "kernel needs TMA and wgmma, which this device or this build has not got (warpgroup): take one of "
        "tensor_core, stream_k_tensor_core, small_batched");
  CHECK(choose(cube, {}, target).kernel == Kernel::tensor_core);
  target.warpgroups = ladder_maths::warpgroups;
  CHECK(refusal_of(Kernel::warpgroup, cube, tile, target) == "");
  CHECK(choose({4096, 4096, 4096}, {}, target).kernel == Kernel::warpgroup);
  for (const Math math : ladder_maths::warpgroups) {
    target.math = math;
    CHECK(rung_of(choose({4096, 4096, 4096}, {}, target).kernel).tma);
  }
  target.math = Math::fp32;
  CHECK_FALSE(rung_of(choose({4096, 4096, 4096}, {}, target).kernel).tma);
}

TEST_CASE("what to do instead is a kernel of the math mode, or another mode", "[choose]") {
  CHECK(detail::instead(native()) ==
        "take one of single_block, naive, tiled, tiled_checked, tiled_dynamic, register_blocked, pipelined, "
        "stream_k, small_batched, split_k");
  CHECK(detail::instead(native(today, Math::fp64))
            .ends_with(", stream_k_tensor_core, small_batched, split_k_tensor_core"));
  CHECK(refusal_of(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, portable(today, Math::fp64))
            .starts_with("kernel needs matrix instructions in fp64, which this backend does not use here "
                         "(tensor_core)"));
  Target nvidia = portable();
  nvidia.fragments = ladder_maths::fragments;
  CHECK(refusal_of(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, nvidia)
            .starts_with("kernel needs matrix instructions in fp32, which this backend does not use here "
                         "(tensor_core)"));
  CHECK(refusal_of(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, native()) ==
        "kernel does not compute in fp32 (tensor_core): take one of single_block, naive, tiled, "
        "tiled_checked, tiled_dynamic, register_blocked, pipelined, stream_k, small_batched, split_k");
  Target amd = portable();
  amd.fragments = ladder_maths::mfma;
  CHECK(refusal_of(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, amd) == "");
  CHECK(detail::instead(amd).ends_with(", tensor_core, stream_k, stream_k_tensor_core, small_batched"));
  amd.math = Math::tf32;
  CHECK(refusal_of(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, amd) ==
        "kernel needs matrix instructions in tf32, which this backend does not use here (tensor_core): "
        "compute in one of fp32, fp64, fp16, bf16");
  amd.math = Math::bf16;
  CHECK(refusal_of(Kernel::tensor_core, cube, {32, 64, 32, 4, 4}, amd) == "");
  amd.fragments = {};  // gfx1100, for one
  CHECK(refusal_of(Kernel::tensor_core, cube, {32, 64, 32, 4, 4}, amd)
            .ends_with("(tensor_core): compute in one of fp32, fp64"));
  Target volta = native(today, Math::fp64);
  volta.capability = 70;
  CHECK(
      refusal_of(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, volta) ==
      "kernel needs compute capability 8.0 or later (tensor_core, this device has 7.0): take one of "
      "single_block, naive, tiled, tiled_checked, tiled_dynamic, register_blocked, pipelined, small_batched");
  Target none = portable();
  none.math = Math::automatic;
  CHECK(detail::instead(none) == "compute in one of fp32, fp64");
}

TEST_CASE("an error carries its message and the place that noticed", "[error]") {
  const int line = __LINE__ + 1;
  const Error error("too large (7): take a smaller one");
  CHECK(std::string_view(error.what()) == "too large (7): take a smaller one");
  CHECK(static_cast<int>(error.where().line()) == line);
  CHECK(std::string_view(error.where().file_name()).ends_with("refusal.cpp"));
  CHECK(std::string_view(error.where().function_name()).find("TEST") != std::string_view::npos);
}

TEST_CASE("a message's parts are printed one after the other", "[error]") {
  CHECK(detail::text("a ", 1, ' ', 2.5, std::string(" b")) == "a 1 2.5 b");
}

}  // namespace
}  // namespace rooftile
