// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/choose.hpp"

#include <span>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "tests/support/multiply.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using Catch::Matchers::WithinRel, testing::all_kernels, testing::blocks, testing::cpu, testing::cube;
using testing::g80;
using testing::kib, testing::native, testing::portable, testing::problem, testing::refused,
    testing::refusal_of, testing::today;

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
    for (const GemmShape shape : {even, GemmShape{63, 127, 31}, {1, 1, 1}, {8192, 8192, 64}}) {
      const Choice choice = choose(shape, {}, target);
      CHECK(choice.kernel == Kernel::pipelined);
      CHECK(choice.tile == default_tile(rung_of(Kernel::pipelined), shape, target));
      CHECK(choice.why == "a GPU; of its tiles the one that keeps the SMs busiest");
    }
  }
}

TEST_CASE("natively the matrix instructions of the device multiply", "[choose]") {
  const auto target_of = [](Math math, int capability) {
    Target target = native(today, math);
    target.capability = capability;
    if (math == Math::tf32 || is_16_bit(type_of(math))) target.limits.shared_bytes_optin = 163 * kib;
    return target;
  };
  const auto chosen = [&](Math math, int capability) {
    return choose(even, {}, target_of(math, capability)).kernel;
  };
  for (const int old : {70, 75}) CHECK(chosen(Math::fp64, old) == Kernel::pipelined);
  for (const int capability : {80, 86, 90, 100}) {
    CHECK(chosen(Math::fp64, capability) == Kernel::tensor_core);
    CHECK(chosen(Math::fp32, capability) == Kernel::pipelined);  // none in fp32
    for (const Math math : {Math::tf32, Math::bf16, Math::fp16}) {
      INFO(to_string(math) << ' ' << capability);
      CHECK(chosen(math, capability) == (capability == 90 ? Kernel::warpgroup : Kernel::tensor_core));
      CHECK(refused([&] { choose(even, {}, target_of(math, 75)); }) != "");
    }
  }
  CHECK(choose({4096, 4096, 4096}, {}, target_of(Math::tf32x3, 90)).kernel == Kernel::warpgroup_tf32x3);
  CHECK(refusal_of(Kernel::warpgroup, cube, rung_of(Kernel::warpgroup).default_tile,
                   target_of(Math::tf32, 80)) ==
        "kernel needs compute capability 9.0 (warpgroup, this device has 8.0): take one of tensor_core, "
        "stream_k_tensor_core");
}

TEST_CASE("on the portable path the matrix instructions are those of the device", "[choose]") {
  const auto chosen = [](Math math, std::span<const Math> fragments, GemmShape shape = even) {
    Target target = portable(today, math);
    target.fragments = fragments;
    return choose(shape, {}, target).kernel;
  };
  for (const Math math : {Math::fp64, Math::fp16, Math::bf16}) {
    CHECK(chosen(math, ladder_maths::fragments) == Kernel::tensor_core);
    CHECK(chosen(math, ladder_maths::mfma) == Kernel::tensor_core);
  }
  for (const Math math : {Math::tf32, Math::bf16, Math::fp16}) {
    CHECK(refused([&] { chosen(math, {}); }) != "");
    CHECK(chosen(math, ladder_maths::fragments, {4095, 4097, 4093}) == Kernel::tensor_core);
  }
  CHECK(chosen(Math::tf32, ladder_maths::fragments) == Kernel::tensor_core);
  CHECK(chosen(Math::fp64, {}) == Kernel::pipelined);
  CHECK(chosen(Math::fp32, {}) == Kernel::pipelined);
  CHECK(chosen(Math::fp32, ladder_maths::fragments) == Kernel::pipelined);  // tensor cores have no fp32
  CHECK(chosen(Math::fp32, ladder_maths::mfma) == Kernel::tensor_core);     // AMD's matrix cores do
}

TEST_CASE("3M is taken where it is named, by the instructions that there are", "[choose][3m]") {
  for (const Path path : {Path::native, Path::portable}) {
    Target target = testing::h200(path, Math::cfp64);
    CHECK(choose({4096, 4096, 4096}, {}, target).math == Math::cfp64);
    const Choice named = choose({4096, 4096, 4096}, {.math = Math::cfp64_3m}, target);
    CHECK((named.math == Math::cfp64_3m && named.kernel == Kernel::tensor_core_3m));
    target.capability = 75, target.fragments = {};
    CHECK(choose({4096, 4096, 4096}, {.math = Math::cfp64_3m}, target).kernel == Kernel::pipelined_3m);
    target.math = Math::cfp32;
    CHECK(choose({999, 70, 3}, {}, target).math == Math::cfp32);
    CHECK(choose({999, 70, 3}, {.math = Math::cfp32_3m}, target).kernel == Kernel::pipelined_3m);
  }
  CHECK(refused([] { static_cast<void>(choose(even, {.math = Math::cfp64_3m}, cpu(Math::cfp64))); }) ==
        "no kernel computes in cfp64_3m here (portable path): compute in one of cfp32, cfp64, cfp64_int8");
  CHECK(problem([] { static_cast<void>(choose(even, {.math = Math::cfp32_3m}, cpu(Math::fp32))); }) ==
        "math mode not for the element type (cfp32_3m, fp32)");
}

TEST_CASE("complex tf32 is multiplied as real numbers where making them of B takes less than it gains",
          "[choose][1m]") {
  for (const Path path : {Path::native, Path::portable}) {
    INFO(to_string(path));
    Target h200 = testing::h200(path, Math::cfp32);
    h200.warpgroups = ladder_maths::warpgroups;
    const GemmOptions tf32{.math = Math::cfp32_tf32};
    CHECK(choose({4096, 4096, 4096}, {}, h200).math == Math::cfp32);
    CHECK(choose({4096, 4096, 4096}, tf32, h200).kernel == Kernel::warpgroup_1m);
    CHECK(choose({4096, 4096, 4096}, tf32, h200).tile == ladder_tiles::warpgroups_of_complex[0]);
    CHECK(choose({64, 64, 64}, tf32, h200).kernel == Kernel::tensor_core);
    CHECK(choose({512, 512, 512}, tf32, h200).kernel == Kernel::warpgroup_1m);
    CHECK(choose({16, 8192, 8192}, tf32, h200).kernel != Kernel::warpgroup_1m);  // B is read once
    CHECK(choose({4096, 4096, 4096}, tf32, h200, 1, {}, {}, true).kernel == Kernel::tensor_core);
    const auto no_workspace = [](const Choice& choice) { return choice.kernel != Kernel::warpgroup_1m; };
    CHECK(choose({4096, 4096, 4096}, tf32, h200, 1, {}, {}, false, no_workspace).kernel ==
          Kernel::tensor_core);
    h200.capability = 80, h200.warpgroups = {};
    CHECK(choose({4096, 4096, 4096}, tf32, h200).kernel == Kernel::tensor_core);
  }
}

TEST_CASE("less shared memory is asked for where copies do not run by themselves", "[choose]") {
  Target waiting = portable();
  waiting.asynchronous_copies = false;
  const auto stages = [](Kernel kernel, TileShape tile, const Target& target) {
    const Rung& rung = rung_of(kernel);
    const std::size_t stage = detail::stage_bytes(rung, tile, target.type(), target.asynchronous_copies);
    CHECK(detail::shared_bytes(rung, tile, target) % stage == 0);
    return detail::shared_bytes(rung, tile, target) / stage;
  };
  const TileShape small{32, 64, 16, 4, 4};
  CHECK(stages(Kernel::pipelined, small, portable()) == 4);
  CHECK(stages(Kernel::pipelined, small, waiting) == 2);
  CHECK(stages(Kernel::register_blocked, {64, 64, 8, 8, 8}, portable()) == 1);
  CHECK(stages(Kernel::register_blocked, {64, 64, 8, 8, 8}, waiting) == 1);
  CHECK(stages(Kernel::tensor_core, small, portable()) == 4);
  CHECK(stages(Kernel::tensor_core, small, waiting) == 1);
}

TEST_CASE("a GPU of an unknown number of SMs gets a kernel, too", "[choose]") {
  Target target = native();
  target.sms = 0;
  CHECK(choose(even, {}, target).kernel == Kernel::pipelined);
  CHECK(choose({4095, 4097, 4093}, {}, target).tile);
}

TEST_CASE("a GPU with room for one panel of each operand gets the rung of one panel", "[choose]") {
  const Choice choice = choose(even, {}, native({512, 8 * kib}));
  CHECK((choice.kernel == Kernel::register_blocked && choice.tile == TileShape{64, 64, 8, 8, 8}));
  CHECK(choice.why == "a GPU; its blocks have room for one panel of each operand, not for two");
}

TEST_CASE("the library takes the kernel without bounds checks where the tile divides", "[choose]") {
  const Choice choice = choose(even, {}, native({256, 4 * kib}));
  CHECK((choice.kernel == Kernel::tiled && choice.tile == square_tile(16)));
  CHECK(choice.why == "the tile divides m, n and k, so no bounds are checked");
}

TEST_CASE("the library takes the kernel with bounds checks where the tile does not divide", "[choose]") {
  for (const GemmShape shape : {GemmShape{63, 128, 32}, {64, 127, 32}, {64, 128, 31}, {1, 1, 1}}) {
    const Choice choice = choose(shape, {}, portable(no_panels));
    CHECK((choice.kernel == Kernel::tiled_checked && choice.tile == square_tile(16)));
    CHECK(choice.why == "the tile does not divide m, n and k, so bounds are checked");
  }
}

TEST_CASE("the library keeps to a named tile", "[choose]") {
  CHECK(choose({24, 24, 24}, {Kernel::automatic, square_tile(8)}, native()).kernel == Kernel::tiled);
  const Choice checked = choose({24, 24, 24}, {Kernel::automatic, square_tile(16)}, native());
  CHECK((checked.kernel == Kernel::tiled_checked && checked.tile == square_tile(16)));
  const TileShape one_panel{128, 128, 8, 8, 8}, panels{128, 128, 16, 8, 8};
  CHECK(choose(cube, {Kernel::automatic, one_panel}, native()).kernel == Kernel::register_blocked);
  CHECK(choose(cube, {Kernel::automatic, panels}, portable()).kernel == Kernel::pipelined);
  CHECK(choose(cube, {Kernel::automatic, square_tile(8)}, cpu()).kernel == Kernel::tiled);
  CHECK(problem([] {
          choose(cube, {Kernel::automatic, square_tile(12)}, native());
        }) == "tile not built (tiled_checked 12x12x12)");
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
  CHECK(problem([] {
          choose(cube, {}, native({32, 48 * kib}));
        }) == "tile has more threads than a block of this device (32x32x32, 32)");
  CHECK(refused([] { choose(cube, {}, native({0, 0})); }) != "");
  CHECK(problem([] {
          choose(cube, {Kernel::tiled_dynamic, {}}, native({0, 0}));
        }) == "tile has more threads than a block of this device (1x1, 0)");
  CHECK(problem([] {
          choose(cube, {Kernel::tiled_dynamic, {}}, native({1024, 0}));
        }) == "tile needs more shared memory than a block of this device has (1x1, 8 of 0 bytes)");
}

TEST_CASE("the library takes the caller's kernel", "[choose]") {
  const TileShape expected[] = {cta(32, 32), cta(16, 16), square_tile(32), square_tile(32), square_tile(32)};
  for (std::size_t row = 0; row < std::size(expected); ++row) {
    const Choice choice = choose({32, 32, 32}, {ladder[row].kernel, {}}, native());
    CHECK((choice.kernel == ladder[row].kernel && choice.tile == expected[row]));
    CHECK(choice.why == "named by the caller");
  }
  CHECK(choose(cube, {Kernel::naive, cta(8, 32)}, native()).tile == cta(8, 32));
}

TEST_CASE("a named kernel that cannot is an error, not replaced by another", "[choose]") {
  for (const auto& [kernel, tile] :
       {std::pair{Kernel::tiled, square_tile(32)}, {Kernel::single_block, cta(33, 32)}}) {
    const std::string why = refusal_of(kernel, {33, 32, 32}, tile);
    CHECK_FALSE(why.empty());
    CHECK(refused([kernel_ = kernel] { choose({33, 32, 32}, {kernel_, {}}, native()); }) == why);
  }
  CHECK(refused([] { choose(cube, {Kernel::single_block, {}}, portable()); }) != "");
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
        }) == "math mode not for the element type (tf32, fp64): take one of fp64, fp64_int8");
  CHECK(problem([] {
          choose(cube, {Kernel::tiled, {}, Math::fp64}, native());
        }) == "math mode not for the element type (fp64, fp32)");
}

TEST_CASE("a type that no kernel of the path computes in is refused", "[choose]") {
  CHECK(refused([] { choose(cube, {}, portable(today, Math::bf16)); }) ==
        "no kernel computes in bf16 here (portable path): compute in one of fp32, fp64");
  CHECK(problem([] {
          choose(cube, {}, {Path::native, today, Math::bf16, {}, 75});
        }) == "no kernel computes in bf16 here (native path, compute capability 7.5)");
}

TEST_CASE("a tile that names some extents only is not taken for the default", "[choose]") {
  CHECK(problem([] {
          choose(cube, {Kernel::tiled, {0, 16, 16}}, native());
        }) == "tile not built (tiled 0x16x16)");
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

TEST_CASE("mixed types are refused on GPUs, in words that name the kernel that computes them", "[choose]") {
  const std::string cpus = "compute on a CPU, for which there is packed";
  for (const Math math : {Math::fp16_fp32, Math::bf16_fp32, Math::fp32_fp64, Math::int8_int32}) {
    const std::string name(to_string(math));
    const auto refusal = [&](Path path, const GemmOptions& options) {
      return testing::refused([&] { choose({64, 64, 64}, options, testing::h200(path, math)); });
    };
    CHECK(refusal(Path::portable, {}) == "no kernel computes in " + name + " here (portable path): " + cpus);
    CHECK(refusal(Path::native, {}) ==
          "no kernel computes in " + name + " here (native path, compute capability 9.0): " + cpus);
    CHECK(refusal(Path::portable, {.kernel = Kernel::naive}) ==
          "kernel does not compute in " + name + " (naive): " + cpus);
    CHECK(choose({64, 64, 64}, {}, testing::cpu(math)).kernel == Kernel::packed);
  }
}

TEST_CASE("small batch entries share a thread block", "[choose]") {
  for (const Path path : {Path::portable, Path::native}) {
    for (const Math math : ladder_maths::numbers) {
      const Target h200 = testing::h200(path, math);
      const auto kernel = [&](GemmShape shape, Index count) { return choose(shape, {}, h200, count).kernel; };
      INFO(to_string(path) << ' ' << to_string(math));
      for (const GemmShape small : {GemmShape{1, 1, 1}, {4, 4, 4}, {16, 16, 64}, {16, 1, 3}, {2, 16, 1}}) {
        CHECK(kernel(small, 2) == Kernel::small_batched);
        CHECK(kernel(small, 1) != Kernel::small_batched);
      }
      for (const GemmShape large : {GemmShape{17, 4, 4}, {4, 17, 4}, {4, 4, 65}})
        CHECK(kernel(large, 1000) != Kernel::small_batched);
      const auto tile = [&](GemmShape shape) { return choose(shape, {}, h200, 1000).tile; };
      CHECK(tile({4, 4, 16}) == ladder_tiles::small[0]);
      CHECK(tile({5, 4, 4}) == ladder_tiles::small[1]);
      CHECK(tile({8, 8, 8}) == ladder_tiles::small[1]);
      CHECK(tile({1, 9, 1}) == ladder_tiles::small[2]);
    }
  }
  const Rung& rung = rung_of(Kernel::small_batched);
  CHECK(default_tile(rung, {100, 3, 3}, testing::h200(Path::native, Math::fp32)) == rung.tiles.back());
  CHECK(choose({8, 8, 8}, {}, testing::h200(Path::native, Math::tf32x3), 1000).math == Math::fp32);
  CHECK(choose({8, 8, 8}, {}, testing::h200(Path::native, Math::bf16), 1000).kernel != Kernel::small_batched);
  // Where each entry of a batch by pointers has a launch of its own, none shares a block.
  Target amd = testing::h200(Path::portable, Math::fp32);
  amd.reads_pointers = false;
  CHECK(choose({8, 8, 8}, {}, amd, 1000).kernel == Kernel::small_batched);
  CHECK(choose({8, 8, 8}, {}, amd, 1000, {}, {}, true).kernel != Kernel::small_batched);
}

TEST_CASE("three products of tf32 give way to fp32 where its kernels were faster on an H200", "[choose]") {
  const Target h200 = testing::h200(Path::native, Math::tf32x3);
  const auto chosen = [&](GemmShape shape, Index count = 1) {
    const Choice choice = choose(shape, {}, h200, count, detail::vector_copies(shape, Type::fp32));
    CHECK((choice.math == Math::tf32x3) == (choice.kernel == Kernel::warpgroup_tf32x3));
    CHECK((choice.math == Math::fp32 || choice.math == Math::tf32x3));
    return choice.math;
  };
  CHECK(chosen({512, 512, 512}) == Math::fp32);
  CHECK(chosen({64, 64, 65536}) == Math::fp32);
  CHECK(chosen({64, 64, 64}, 1000) == Math::fp32);
  CHECK(chosen({128, 128, 128}, 1000) == Math::fp32);
  CHECK(chosen({512, 512, 512}, 64) == Math::tf32x3);
  for (const GemmShape shape : {GemmShape{1000, 1000, 1000},
                                {1024, 1024, 1024},
                                {2048, 2048, 2048},
                                {2000, 3000, 2500},
                                {4096, 4096, 4096},
                                {4095, 4097, 4093},
                                {8192, 8192, 8192},
                                {16384, 64, 4096},
                                {8192, 8192, 64}}) {
    INFO(to_string(shape));
    CHECK(chosen(shape) == Math::tf32x3);
  }
  // A kernel or a tile that the caller names is tf32x3's, and so is that of a device that is not known.
  const GemmShape small{512, 512, 512};
  CHECK(choose(small, {Kernel::warpgroup_tf32x3, {}}, h200).math == Math::tf32x3);
  CHECK(choose(small, {Kernel::automatic, {128, 64, 32, 1, 32}}, h200).math == Math::tf32x3);
  Target unknown = h200;
  unknown.sms = 0;
  CHECK(choose(small, {}, unknown).math == Math::tf32x3);
  unknown.sms = 1;  // known, too
  CHECK(choose({64, 64, 64}, {}, unknown).math == Math::fp32);
}

TEST_CASE("three products of tf32 take the rounds of the busiest SM, or a share of one where K is split",
          "[choose]") {
  static constexpr TileShape wide{128, 128, 32, 1, 64}, narrow{128, 64, 32, 1, 32};
  // Without the start and the split of B: rounds of K steps of a tile, at 300 multiply-adds a cycle, or 231.
  const auto rounds = [](TileShape tile, GemmShape shape, Index count = 1) {
    const auto k = static_cast<double>(shape.k);
    const double split = 20 * k * static_cast<double>(shape.n * count) / 1700;
    const double speed = tile == narrow ? 231 : 300;
    return (detail::tf32x3_cycles(model::cost_rows::sm_90, tile, shape, 132, count) - 30000 - split) * speed /
           (k * tile.bm * tile.bn);
  };
  CHECK_THAT(rounds(wide, {128 * 132, 128, 512}), WithinRel(1.0));
  CHECK_THAT(rounds(wide, {128 * 132 + 1, 128, 512}), WithinRel(2.0));
  CHECK_THAT(rounds(wide, {128, 128, 512}, 133), WithinRel(2.0));
  // Narrow tiles, a quarter of the SMs at most and K of 2,048 or more: all SMs share them.
  CHECK_THAT(rounds(narrow, {128 * 33, 64, 2048}), WithinRel(0.25));
  CHECK_THAT(rounds(narrow, {128 * 34, 64, 2048}), WithinRel(1.0));
  CHECK_THAT(rounds(narrow, {128 * 33, 64, 2047}), WithinRel(1.0));
  CHECK_THAT(rounds(narrow, {128, 64, 4096}), WithinRel(1.0 / 132));
  CHECK_THAT(rounds(narrow, {128, 64, 4096}, 11), WithinRel(11.0 / 132));
  CHECK_THAT(rounds(wide, {128, 128, 4096}), WithinRel(1.0));
}

}  // namespace
}  // namespace rooftile
