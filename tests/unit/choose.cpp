// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/choose.hpp"

#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "support.hpp"

namespace rooftile {
namespace {

using testing::refused;

constexpr std::size_t kib = 1024;
constexpr BlockLimits today{1024, 48 * kib};
constexpr BlockLimits g80{512, 16 * kib};
constexpr GemmShape cube{64, 64, 64};
constexpr TileShape blocks{64, 1024, 512, 8, 32};  // of some processor's caches

constexpr Target native(BlockLimits limits = today, Math math = Math::fp32) {
  return {Path::native, limits, math, {}, 90, 132};
}
constexpr Target portable(BlockLimits limits = today, Math math = Math::fp32) {
  return {Path::portable, limits, math, {}, 0, 132};
}
constexpr Target processor(Math math = Math::fp32) {
  return {Path::portable, {1024, 32 * kib}, math, blocks};
}
/// A target on which a rung computes.
constexpr Target target_for(const Rung& rung, Math math) {
  Target target = rung.runs_on == RunsOn::processors ? processor(math)
                  : rung.native                      ? native(today, math)
                                                     : portable(today, math);
  target.limits.shared_bytes_optin = 227 * kib;
  return target;
}

std::string refusal_of(Kernel kernel, GemmShape shape, TileShape tile, const Target& target = native()) {
  return refusal(rung_of(kernel), shape, tile, target);
}

TEST_CASE("a kernel that fits is not refused", "[choose]") {
  for (const Rung& rung : ladder) {
    for (const Math math : rung.maths) {
      const Target target = target_for(rung, math);
      CHECK(refusal(rung, cube, default_tile(rung, cube, target), target) ==
            (rung.fits == Fits::one_block ? "C is too large for one block (64 x 64 elements, 1024 threads): "
                                            "take the kernel naive or a rung above it"
                                          : ""));
      for (const TileShape tile : rung.tiles) {
        if (detail::is_built(rung, target.path, tile, target.element_size()))
          CHECK(refusal(rung, cube, tile, target) == "");
      }
    }
  }
  CHECK(refusal_of(Kernel::single_block, {32, 32, 7}, cta(32, 32)) == "");
  CHECK(refusal_of(Kernel::tiled_dynamic, {3, 5, 7}, square_tile(16)) == "");
  CHECK(refusal_of(Kernel::naive, {3, 5, 7}, cta(16, 16), portable()) == "");
}

TEST_CASE("a kernel that is not on the path is refused", "[choose]") {
  CHECK(refusal_of(Kernel::single_block, {4, 4, 4}, cta(4, 4), portable()) ==
        "kernel not on the portable path (single_block): take one of naive, tiled, tiled_checked, "
        "tiled_dynamic, register_blocked, pipelined");
}

TEST_CASE("a tile that was not built is refused", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(12)) ==
        "tile not built (tiled 12x12x12): take one of 8x8x8, 16x16x16, 32x32x32");
  CHECK(refusal_of(Kernel::naive, cube, {16, 16, 16}) ==
        "tile not built (naive 16x16x16): take one of 16x16, 32x32, 32x8, 8x32, 4x64");
  CHECK(refusal_of(Kernel::tiled_checked, cube, {-8, -8, -8}) ==
        "tile not built (tiled_checked -8x-8x-8): take one of 8x8x8, 16x16x16, 32x32x32");
  CHECK(refusal_of(Kernel::tiled, cube, {16, 16, 16, 2, 1}) ==
        "tile not built with 2x1 elements a thread (tiled 16x16x16): take it with 1x1");
  CHECK(refusal_of(Kernel::pipelined, cube, {128, 128, 16}) ==
        "tile not built with 1x1 elements a thread (pipelined 128x128x16): take it with 8x8");
}

TEST_CASE("a tile that is not built for the element type or the path is refused", "[choose]") {
  CHECK(refusal_of(Kernel::pipelined, cube, {128, 256, 16, 8, 16}, native(today, Math::fp64)) ==
        "tile not built for fp64 on the native path (pipelined 128x256x16): take one of 128x128x16, "
        "64x128x16, 128x64x16, 64x64x16, 32x64x16");
  CHECK(refusal_of(Kernel::pipelined, cube, {128, 256, 16, 8, 16}, portable()) ==
        "tile not built for fp32 on the portable path (pipelined 128x256x16): take one of 128x256x8, "
        "128x128x16, 64x128x16, 128x64x16, 64x64x16, 32x64x16");
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
    CHECK(refusal_of(Kernel::tiled_dynamic, cube, tile).starts_with("no such run-time tile ("));
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
  CHECK(refusal_of(Kernel::single_block, {33, 32, 9}, cta(33, 32)) ==
        "C is too large for one block (33 x 32 elements, 1024 threads): take the kernel naive or a rung "
        "above it");
  CHECK(refusal_of(Kernel::single_block, {1024, 1, 9}, cta(1024, 1)) == "");
  CHECK(refusal_of(Kernel::single_block, {1, 1025, 9}, cta(1, 1025)) != "");
  CHECK(refusal_of(Kernel::single_block, {341, 3, 9}, cta(341, 3)) == "");
  CHECK(refusal_of(Kernel::single_block, {342, 3, 9}, cta(342, 3)) != "");
  // A product of the extents that is small in 32 or 64 bits only because it overflowed.
  const Index large = Index{1} << 32;
  CHECK(refusal_of(Kernel::single_block, {large, large, 1}, cta(1, 1)) ==
        "C is too large for one block (4294967296 x 4294967296 elements, 1024 threads): take the kernel "
        "naive or a rung above it");
}

TEST_CASE("single_block takes no other tile than all of C", "[choose]") {
  CHECK(refusal_of(Kernel::single_block, {8, 8, 8}, cta(8, 4)) ==
        "tile is not all of C (single_block 8x4, m 8, n 8): name no tile");
  CHECK(refusal_of(Kernel::single_block, {8, 8, 8}, cta(4, 8)) != "");
}

TEST_CASE("a tile of more threads than a block has is refused", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(32), native(g80)) ==
        "tile has more threads than a block of this device (32x32x32, 512): take a smaller tile");
  CHECK(refusal_of(Kernel::naive, cube, cta(32, 32), native(g80)) ==
        "tile has more threads than a block of this device (32x32, 512): take a smaller tile");
  CHECK(refusal_of(Kernel::tiled_dynamic, cube, square_tile(23), native(g80)) != "");
  CHECK(refusal_of(Kernel::tiled_dynamic, cube, square_tile(22), native(g80)) == "");
}

TEST_CASE("a tile of more shared memory than a block has is refused", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(32), native({1024, 16 * kib - 1}, Math::fp64)) ==
        "tile needs more shared memory than a block of this device has (32x32x32, 16384 of 16383 bytes): "
        "take a smaller tile");
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(32), native({1024, 16 * kib}, Math::fp64)) == "");
  CHECK(refusal_of(Kernel::naive, cube, cta(32, 32), native({1024, 0}, Math::fp64)) == "");
}

TEST_CASE("the default tile is the row's, the device's or all of C", "[choose]") {
  CHECK(default_tile(rung_of(Kernel::naive), cube, native()) == cta(16, 16));
  CHECK(default_tile(rung_of(Kernel::tiled), cube, native()) == square_tile(32));
  CHECK(default_tile(rung_of(Kernel::tiled_dynamic), cube, native()) == square_tile(32));
  CHECK(default_tile(rung_of(Kernel::tiled_dynamic), cube, native(g80)) == square_tile(16));
  CHECK(default_tile(rung_of(Kernel::single_block), {5, 7, 64}, native()) == cta(5, 7));
}

/// A GPU whose blocks have room for no panel of the rungs blocked for registers.
constexpr BlockLimits no_panels{1024, 4 * kib};
constexpr GemmShape even{64, 128, 32};

TEST_CASE("the library takes the kernel that hides copies on a GPU", "[choose]") {
  for (const Target& target : {native(), portable(), portable(today, Math::fp64)}) {
    for (const GemmShape shape : {even, GemmShape{63, 127, 31}, {1, 1, 1}, {4096, 4096, 4096}}) {
      const Choice choice = choose(shape, {}, target);
      CHECK(choice.kernel == Kernel::pipelined);
      CHECK(choice.tile == default_tile(rung_of(Kernel::pipelined), shape, target));
      CHECK(choice.why == "a GPU; of its tiles the one that keeps the multiprocessors busiest");
    }
  }
}

TEST_CASE("the library takes the matrix instructions in fp64 where the GPU has them", "[choose]") {
  Target target = native(today, Math::fp64);
  CHECK(choose(even, {}, target).kernel == Kernel::tensor_core);
  for (const auto& [capability, kernel] : {std::pair{70, Kernel::pipelined},
                                           {75, Kernel::pipelined},
                                           {80, Kernel::tensor_core},
                                           {86, Kernel::tensor_core},
                                           {100, Kernel::tensor_core}}) {
    target.capability = capability;
    CHECK(choose(even, {}, target).kernel == kernel);
  }
  Target with = portable(today, Math::fp64);
  CHECK(choose(even, {}, with).kernel == Kernel::pipelined);
  with.fragments = true;
  CHECK(choose(even, {}, with).kernel == Kernel::tensor_core);
  CHECK(choose(even, {}, native()).kernel == Kernel::pipelined);  // none in fp32
}

TEST_CASE("a GPU of an unknown number of multiprocessors gets a kernel, too", "[choose]") {
  Target target = native();
  target.sms = 0;
  CHECK(choose(even, {}, target).kernel == Kernel::pipelined);
  CHECK(choose({4095, 4097, 4093}, {}, target).tile);
}

TEST_CASE("a GPU with room for one panel of each operand gets the rung of one panel", "[choose]") {
  const Choice choice = choose(even, {}, native({512, 8 * kib}));
  CHECK(choice.kernel == Kernel::register_blocked);
  CHECK(choice.tile == TileShape{64, 64, 8, 8, 8});
  CHECK(choice.why == "a GPU; its blocks have room for one panel of each operand, not for two");
}

TEST_CASE("the library takes the kernel without bounds checks where the tile divides", "[choose]") {
  const Choice choice = choose(even, {}, native({256, 4 * kib}));
  CHECK(choice.kernel == Kernel::tiled);
  CHECK(choice.tile == square_tile(16));
  CHECK(choice.why == "the tile divides m, n and k, so no bounds are checked");
}

TEST_CASE("the library takes the kernel with bounds checks where the tile does not divide", "[choose]") {
  for (const GemmShape shape : {GemmShape{63, 128, 32}, {64, 127, 32}, {64, 128, 31}, {1, 1, 1}}) {
    const Choice choice = choose(shape, {}, portable(no_panels));
    CHECK(choice.kernel == Kernel::tiled_checked);
    CHECK(choice.tile == square_tile(16));
    CHECK(choice.why == "the tile does not divide m, n and k, so bounds are checked");
  }
}

TEST_CASE("the library keeps to a named tile", "[choose]") {
  CHECK(choose({24, 24, 24}, {Kernel::automatic, square_tile(8)}, native()).kernel == Kernel::tiled);
  const Choice checked = choose({24, 24, 24}, {Kernel::automatic, square_tile(16)}, native());
  CHECK(checked.kernel == Kernel::tiled_checked);
  CHECK(checked.tile == square_tile(16));
  const TileShape one_panel{128, 128, 8, 8, 8}, panels{128, 128, 16, 8, 8};
  CHECK(choose(cube, {Kernel::automatic, one_panel}, native()).kernel == Kernel::register_blocked);
  CHECK(choose(cube, {Kernel::automatic, panels}, portable()).kernel == Kernel::pipelined);
  CHECK(choose(cube, {Kernel::automatic, square_tile(8)}, processor()).kernel == Kernel::tiled);
  CHECK(refused([] {
          choose(cube, {Kernel::automatic, square_tile(12)}, native());
        }) == "tile not built (tiled_checked 12x12x12): take one of 8x8x8, 16x16x16, 32x32x32");
}

TEST_CASE("the library takes a smaller tile where the device's blocks are small", "[choose]") {
  // 32×32 threads do not fit a block of the G80; two fp64 tiles of 32×32 do not fit 8 KB.
  const GemmOptions tiled{Kernel::tiled, {}};
  CHECK(choose(cube, tiled, native(g80)).tile == square_tile(16));
  CHECK(choose(cube, tiled, native({1024, 8 * kib}, Math::fp64)).tile == square_tile(16));
  CHECK(choose({65, 64, 64}, {Kernel::tiled_checked, {}}, native({64, 48 * kib})).tile == square_tile(8));
  CHECK(choose(cube, {}, native({64, 48 * kib})).tile == TileShape{64, 64, 16, 8, 8});
  CHECK(choose(cube, {}, native({64, 4 * kib})).tile == square_tile(8));
}

TEST_CASE("a device too small for every tile is an error", "[choose]") {
  CHECK(refused([] {
          choose(cube, {}, native({32, 48 * kib}));
        }) == "tile has more threads than a block of this device (32x32x32, 32): take a smaller tile");
  CHECK(refused([] { choose(cube, {}, native({0, 0})); }) != "");
  CHECK(refused([] {
          choose(cube, {Kernel::tiled_dynamic, {}}, native({0, 0}));
        }) == "tile has more threads than a block of this device (1x1, 0): take a smaller tile");
  CHECK(refused([] {
          choose(cube, {Kernel::tiled_dynamic, {}}, native({1024, 0}));
        }) ==
        "tile needs more shared memory than a block of this device has (1x1, 8 of 0 bytes): take a smaller "
        "tile");
}

TEST_CASE("the library takes the caller's kernel", "[choose]") {
  const TileShape expected[] = {cta(32, 32), cta(16, 16), square_tile(32), square_tile(32), square_tile(32)};
  for (std::size_t row = 0; row < std::size(expected); ++row) {
    const Choice choice = choose({32, 32, 32}, {ladder[row].kernel, {}}, native());
    CHECK(choice.kernel == ladder[row].kernel);
    CHECK(choice.tile == expected[row]);
    CHECK(choice.why == "named by the caller");
  }
  CHECK(choose(cube, {Kernel::naive, cta(8, 32)}, native()).tile == cta(8, 32));
}

TEST_CASE("the packed rung is for processors, with the blocks of their caches", "[choose]") {
  CHECK(choose(cube, {}, processor()).kernel == Kernel::packed);
  CHECK(choose(cube, {}, processor()).tile == blocks);
  CHECK(refusal(rung_of(Kernel::packed), cube, square_tile(16), processor()) ==
        "blocks not those of this processor's caches (packed 16x16x16): name no tile");
  CHECK(refusal(rung_of(Kernel::packed), cube, {}, portable()) ==
        "kernel for processors, which this device is not one of (packed): take one of naive, tiled, "
        "tiled_checked, tiled_dynamic, register_blocked, pipelined");
}

TEST_CASE("the rungs for GPUs are refused on a processor", "[choose]") {
  for (const Kernel kernel : {Kernel::register_blocked, Kernel::pipelined, Kernel::tensor_core}) {
    const Rung& rung = rung_of(kernel);
    CHECK(refusal(rung, cube, rung.default_tile, processor(Math::fp64)) ==
          "kernel for GPUs, which this device is not one of (" + std::string(rung.name) +
              "): take one of naive, tiled, tiled_checked, tiled_dynamic, packed");
  }
}

TEST_CASE("a named kernel that cannot is an error, not replaced by another", "[choose]") {
  CHECK(refused([] {
          choose({33, 32, 32}, {Kernel::tiled, {}}, native());
        }) ==
        "tile does not divide the product (m 33, n 32, k 32 by 32x32x32): take another tile or the kernel "
        "tiled_checked");
  CHECK(refused([] {
          choose({33, 32, 32}, {Kernel::single_block, {}}, native());
        }) ==
        "C is too large for one block (33 x 32 elements, 1024 threads): take the kernel naive or a rung "
        "above it");
  CHECK(refused([] { choose(cube, {Kernel::single_block, {}}, portable()); }) != "");
}

TEST_CASE("a kernel is refused in a math mode that it does not compute in", "[choose]") {
  CHECK(refusal_of(Kernel::tiled, cube, square_tile(16), native(today, Math::tf32)) ==
        "kernel does not compute in tf32 (tiled): " + detail::instead(native(today, Math::tf32)));
  CHECK(refused([] {
          choose(cube, {Kernel::tiled, {}, Math::tf32x3}, native());
        }).starts_with("kernel does not compute in tf32x3 (tiled): "));
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
  CHECK(on(hopper, 80) ==
        "kernel needs compute capability 9.0 (tiled, this device has 8.0): " + instead + ", split_k");
  CHECK(on(hopper, 100) ==
        "kernel needs compute capability 9.0 (tiled, this device has 10.0): " + instead + ", split_k");
  CHECK(on(ampere, 75) ==
        "kernel needs compute capability 8.0 or later (tiled, this device has 7.5): " + instead);
  for (const int capability : {80, 86, 90, 120}) CHECK(on(ampere, capability) == "");
  CHECK(on(hopper, 0, Path::portable) == "");  // Kokkos compiles for the device that it has
}

TEST_CASE("what to do instead is a kernel of the math mode, or another mode", "[choose]") {
  CHECK(detail::instead(native()) ==
        "take one of single_block, naive, tiled, tiled_checked, tiled_dynamic, register_blocked, pipelined, "
        "split_k");
  CHECK(detail::instead(native(today, Math::fp64)).ends_with(", pipelined, tensor_core, split_k"));
  CHECK(refusal_of(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, portable(today, Math::fp64)) ==
        "kernel needs matrix instructions, which this backend does not use here (tensor_core): take one of "
        "naive, tiled, tiled_checked, tiled_dynamic, register_blocked, pipelined");
  Target volta = native(today, Math::fp64);
  volta.capability = 70;
  CHECK(
      refusal_of(Kernel::tensor_core, cube, {64, 64, 16, 8, 4}, volta)
          .starts_with("kernel needs compute capability 8.0 or later (tensor_core, this device has 7.0): "));
  Target none = portable();
  none.math = Math::automatic;
  CHECK(detail::instead(none) == "compute in one of fp32, fp64");
}

TEST_CASE("the library computes in the element type's own mode unless told otherwise", "[choose]") {
  CHECK(choose(cube, {}, native()).math == Math::fp32);
  CHECK(choose(cube, {}, native(today, Math::fp64)).math == Math::fp64);
  CHECK(choose(cube, {Kernel::automatic, {}, Math::fp32}, native()).math == Math::fp32);
  CHECK(choose(cube, {Kernel::naive, {}}, native(today, Math::fp64)).math == Math::fp64);
}

TEST_CASE("a math mode of another element type is refused", "[choose]") {
  CHECK(refused([] {
          choose(cube, {Kernel::automatic, {}, Math::tf32}, native(today, Math::fp64));
        }) == "math mode not for the element type (tf32, fp64): take one of fp64");
  CHECK(refused([] {
          choose(cube, {Kernel::tiled, {}, Math::fp64}, native());
        }) == "math mode not for the element type (fp64, fp32): take one of fp32, tf32, tf32x3");
}

TEST_CASE("a type that no kernel of the path computes in is refused", "[choose]") {
  CHECK(refused([] { choose(cube, {}, portable(today, Math::bf16)); }) ==
        "no kernel computes in bf16 here (portable path): compute in one of fp32, fp64");
  CHECK(
      refused([] {
        choose(cube, {}, {Path::native, today, Math::bf16, {}, 75});
      }) ==
      "no kernel computes in bf16 here (native path, compute capability 7.5): compute in one of fp32, fp64");
}

TEST_CASE("a tile that names some extents only is not taken for the default", "[choose]") {
  CHECK(refused([] {
          choose(cube, {Kernel::tiled, {0, 16, 16}}, native());
        }) == "tile not built (tiled 0x16x16): take one of 8x8x8, 16x16x16, 32x32x32");
  CHECK(refused([] { choose(cube, {Kernel::automatic, {0, 0, 8}}, native()); }) != "");
}

TEST_CASE("of tiles with known speeds, the one that finishes first is the default", "[choose]") {
  const auto chosen = [](GemmShape shape, int sms = 132) {
    Target h200 = native(today, Math::bf16);
    h200.sms = sms;
    return to_string(default_tile(rung_of(Kernel::warpgroup), shape, h200));
  };
  CHECK(chosen({8192, 8192, 8192}) == "128x256x32");
  CHECK(chosen({2048, 2048, 2048}) == "128x256x32");  // 128 tiles: one round
  CHECK(chosen({2000, 3000, 2500}) == "128x192x32");  // 256 tiles: two rounds that are nearly full
  CHECK(chosen({1024, 1024, 1024}) == "128x64x32");   // 128 tiles, all at the same time
  CHECK(chosen({16384, 64, 4096}) == "128x64x32");    // no wider than C
  CHECK(chosen({512, 512, 512}, 0) == "128x256x32");  // a device that is not known
}

TEST_CASE("kernels of tensor cores are for their math modes and their devices", "[choose]") {
  Target h200 = native(today, Math::tf32), a100 = h200;
  a100.capability = 80;
  CHECK(choose(cube, {}, h200).kernel == Kernel::warpgroup);
  h200.math = Math::tf32x3;
  CHECK(choose(cube, {}, h200).kernel == Kernel::warpgroup_tf32x3);
  h200.math = Math::fp32;
  CHECK(choose(cube, {}, h200).kernel == Kernel::pipelined);
  CHECK(refusal_of(Kernel::warpgroup, cube, rung_of(Kernel::warpgroup).default_tile, a100)
            .starts_with("kernel needs compute capability 9.0 (warpgroup, this device has 8.0)"));
}

TEST_CASE("kernels are found by name", "[choose]") {
  for (const Rung& rung : ladder) CHECK(find_kernel(rung.name) == rung.kernel);
  CHECK(refused([] { find_kernel("tilde"); }) ==
        "unknown kernel (tilde): take one of single_block, naive, tiled, tiled_checked, tiled_dynamic, "
        "packed, register_blocked, pipelined, tensor_core, split_k, warpgroup, warpgroup_tf32x3");
  for (const char* name : {"", "Tiled", "tiled ", "tile", "automatic"}) {
    CHECK(refused([name] { find_kernel(name); }).starts_with("unknown kernel ("));
  }
}

}  // namespace
}  // namespace rooftile
