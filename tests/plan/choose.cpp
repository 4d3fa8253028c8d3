// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/choose.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/block_limits.hpp"
#include "plan/default_tile.hpp"
#include "plan/describe.hpp"
#include "plan/device_target.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/model/find_device.hpp"
#include "tests/support/multiply.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using testing::cpu, testing::cube;
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

/// A GPU without enough shared memory for the panels of the register-blocked rungs.
constexpr BlockLimits no_panels{1024, 4 * kib};
constexpr GemmShape even{64, 128, 32};

/// Operands that are contiguous along K with odd length, which are copied element by element.
GemmDesc ragged(const GemmShape& shape, Type type, Index count = 1) {
  GemmDesc desc = describe(shape, type, count);
  desc.alignment = {{true, false, false}, {true, false, false}};
  return desc;
}

TEST_CASE("the choice is the fastest alternative by the model, and each alternative computes the product",
          "[choose]") {
  for (const Path path : {Path::native, Path::portable}) {
    for (const ComputeMode math : all_modes) {
      if (is_mixed(math) || takes_residues(math) || math == ComputeMode::tf32x3) continue;
      Target h200 = testing::h200(path, math);
      h200.wgmma = ladder_modes::wgmma;
      for (const GemmShape shape : {GemmShape{1, 1, 1},
                                    {64, 64, 64},
                                    {2163, 139, 4710},
                                    {8, 8, 1000000},
                                    {5000, 3000, 17},
                                    {1024, 1024, 1024}}) {
        for (const Index count : {1, 300}) {
          const GemmDesc desc = ragged(shape, h200.type(), count);
          INFO(to_string(path) << ' ' << to_string(math) << ' ' << to_string(shape) << ' ' << count);
          const std::vector<GemmPlan> all = alternatives(desc, {}, h200);
          REQUIRE(!all.empty());
          const GemmPlan chosen = choose(desc, {}, h200);
          CHECK((chosen.kernel == all[0].kernel && chosen.tile == all[0].tile));
          CHECK(chosen.seconds == all[0].seconds);
          for (const GemmPlan& plan : all) {
            CHECK(refusal(rung_of(plan.kernel), shape, plan.tile, h200, plan.repack).text == "");
            CHECK((plan.seconds > 0 && std::isfinite(plan.seconds)));
          }
        }
      }
    }
  }
}

TEST_CASE("a choice takes no more workspace than is allowed", "[choose]") {
  for (const ComputeMode math :
       {ComputeMode::bf16, ComputeMode::tf32, ComputeMode::fp64, ComputeMode::cfp32_tf32}) {
    const Target h200 = testing::h200(Path::native, math);
    for (const GemmShape shape : {GemmShape{64, 64, 65536}, {2048, 2048, 2047}, {513, 514, 5150}}) {
      const GemmDesc desc = ragged(shape, h200.type());
      for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 20, std::size_t{1} << 24}) {
        INFO(to_string(math) << ' ' << to_string(shape) << ' ' << bytes);
        CHECK(choose(desc, {.workspace = {nullptr, bytes}}, h200).workspace <= bytes);
      }
    }
  }
}

TEST_CASE("operands by pointers are followed, and not repacked", "[choose]") {
  for (const ComputeMode math : {ComputeMode::bf16, ComputeMode::tf32, ComputeMode::tf32x3,
                                 ComputeMode::cfp32_tf32, ComputeMode::fp64}) {
    const Target h200 = testing::h200(Path::native, math);
    GemmDesc desc = ragged({2048, 2048, 2047}, h200.type(), 5);
    desc.by_pointers = true;
    const GemmPlan plan = choose(desc, {}, h200);
    CHECK((!plan.repack && !rung_of(plan.kernel).tma));
  }
}

TEST_CASE("on the native path the matrix instructions of the device multiply", "[choose]") {
  const auto target_of = [](ComputeMode math, int capability) {
    Target target = native(today, math);
    target.capability = capability;
    if (math != ComputeMode::fp32) target.limits.shared_bytes_optin = 163 * kib;
    return target;
  };
  const auto chosen = [&](ComputeMode math, int capability) {
    return choose(GemmShape{4096, 4096, 4096}, {}, target_of(math, capability)).kernel;
  };
  for (const int old : {70, 75}) CHECK(chosen(ComputeMode::fp64, old) == Kernel::pipelined);
  for (const int capability : {80, 86, 90, 100}) {
    CHECK(chosen(ComputeMode::fp64, capability) == Kernel::tensor_core);
    CHECK_FALSE(rung_of(chosen(ComputeMode::fp32, capability)).is_warp_mma());  // no tensor cores in fp32
    for (const ComputeMode math : {ComputeMode::tf32, ComputeMode::bf16, ComputeMode::fp16}) {
      INFO(to_string(math) << ' ' << capability);
      CHECK(chosen(math, capability) == (capability == 90 ? Kernel::warpgroup : Kernel::tensor_core));
      CHECK(refused([&] { choose(even, {}, target_of(math, 75)); }) != "");
    }
  }
  CHECK(choose({4096, 4096, 4096}, {}, target_of(ComputeMode::tf32x3, 90)).kernel ==
        Kernel::warpgroup_tf32x3);
}

TEST_CASE("on the portable path the matrix instructions of the device multiply", "[choose]") {
  const auto chosen = [](ComputeMode math, std::span<const ComputeMode> fragments, GemmShape shape = even) {
    Target target = portable(testing::hopper, math);
    target.warp_mma = fragments;
    return choose(shape, {}, target).kernel;
  };
  for (const ComputeMode math : {ComputeMode::fp64, ComputeMode::fp16, ComputeMode::bf16}) {
    CHECK(chosen(math, ladder_modes::warp_mma) == Kernel::tensor_core);
    CHECK(chosen(math, ladder_modes::mfma) == Kernel::tensor_core);
  }
  for (const ComputeMode math : {ComputeMode::tf32, ComputeMode::bf16, ComputeMode::fp16}) {
    CHECK(refused([&] { chosen(math, {}); }) != "");
    CHECK(chosen(math, ladder_modes::warp_mma, {4095, 4097, 4093}) == Kernel::tensor_core);
  }
  CHECK(chosen(ComputeMode::tf32, ladder_modes::warp_mma) == Kernel::tensor_core);
  CHECK(chosen(ComputeMode::fp64, {}) == Kernel::pipelined);
  CHECK(chosen(ComputeMode::fp32, {}) == Kernel::pipelined);
  CHECK(chosen(ComputeMode::fp32, ladder_modes::warp_mma) == Kernel::pipelined);  // tensor cores lack fp32
  CHECK(chosen(ComputeMode::fp32, ladder_modes::mfma) == Kernel::tensor_core);    // AMD's cores have it
}

TEST_CASE("complex tf32 is taken where it is named, and refused where no instructions multiply it",
          "[choose]") {
  constexpr GemmOptions tf32{.math = ComputeMode::cfp32_tf32};
  constexpr GemmShape shape{999, 70, 3};
  for (const Path path : {Path::native, Path::portable}) {
    Target target = testing::h200(path, ComputeMode::cfp32);
    CHECK(choose(shape, {}, target).math == ComputeMode::cfp32);
    CHECK(choose(shape, tf32, target).math == ComputeMode::cfp32_tf32);
    target.capability = 80;
    const Choice named = choose(shape, tf32, target);
    CHECK((named.math == ComputeMode::cfp32_tf32 && rung_of(named.kernel).is_warp_mma()));
    target.capability = 75, target.warp_mma = {};
    CHECK(choose(shape, {}, target).math == ComputeMode::cfp32);
    CHECK(refused([&] {
            static_cast<void>(choose(shape, tf32, target));
          }).starts_with("no kernel computes in cfp32_tf32 here ("));
  }
  CHECK(refused([&] {
          static_cast<void>(choose(even, tf32, cpu(ComputeMode::cfp32)));
        }).ends_with("(portable path): compute in one of cfp32, cfp64, cfp64_int8"));
}

TEST_CASE("a GPU of an unknown number of SMs gets a kernel", "[choose]") {
  Target target = native();
  target.sms = 0;
  CHECK(choose(even, {}, target).kernel == Kernel::pipelined);
  CHECK(choose({4095, 4097, 4093}, {}, target).tile);
}

TEST_CASE(
    "a GPU of small blocks gets one panel of each operand, or tiles with bounds checks unless they divide",
    "[choose]") {
  const Choice panel = choose(even, {}, native({512, 8 * kib}));
  CHECK((panel.kernel == Kernel::register_blocked && panel.tile == TileShape{64, 64, 8, 8, 8}));
  const Choice tiled = choose(even, {}, native({256, 4 * kib}));
  CHECK((tiled.kernel == Kernel::tiled && tiled.tile == square_tile(16)));
  for (const GemmShape shape : {GemmShape{63, 128, 32}, {64, 127, 32}, {64, 128, 31}, {1, 1, 1}}) {
    const Choice checked = choose(shape, {}, portable(no_panels));
    CHECK((checked.kernel == Kernel::tiled_checked && checked.tile == square_tile(16)));
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
  for (const TileShape tile : {square_tile(12), TileShape{0, 16, 16}, {0, 0, 8}})
    CHECK(problem([&] {
            choose(cube, {Kernel::automatic, tile}, native());
          }).starts_with("tile not built ("));
}

TEST_CASE("the library takes a smaller tile where the device's blocks are small", "[choose]") {
  // A block of the G80 cannot have 32×32 threads. Two 32×32 tiles of fp64 exceed 8 KB.
  const GemmOptions tiled{Kernel::tiled, {}};
  CHECK(choose(cube, tiled, native(g80)).tile == square_tile(16));
  CHECK(choose(cube, tiled, native({1024, 8 * kib}, ComputeMode::fp64)).tile == square_tile(16));
  CHECK(choose({65, 64, 64}, {Kernel::tiled_checked, {}}, native({64, 48 * kib})).tile == square_tile(8));
  CHECK(choose(cube, {}, native({64, 48 * kib})).tile == TileShape{64, 64, 16, 8, 8});
  CHECK(choose(cube, {}, native({64, 4 * kib})).tile == square_tile(8));
}

TEST_CASE("a device too small for every tile is an error", "[choose]") {
  const auto found = [](const GemmOptions& options, BlockLimits limits) {
    return problem([&] { choose(cube, options, native(limits)); });
  };
  CHECK(found({}, {32, 48 * kib}).ends_with("(32x32x32, 32)"));
  CHECK(found({}, {0, 0}) != "");
  CHECK(found({Kernel::tiled_dynamic, {}}, {0, 0}).ends_with("(1x1, 0)"));
  CHECK(found({Kernel::tiled_dynamic, {}}, {1024, 0}).ends_with("(1x1, 8 of 0 bytes)"));
}

TEST_CASE("a named kernel that cannot compute the product is refused, not replaced", "[choose]") {
  for (const auto& [kernel, tile] :
       {std::pair{Kernel::tiled, square_tile(32)}, {Kernel::single_block, cta(33, 32)}}) {
    const std::string why = refusal_of(kernel, {33, 32, 32}, tile);
    CHECK_FALSE(why.empty());
    CHECK(refused([kernel_ = kernel] { choose({33, 32, 32}, {kernel_, {}}, native()); }) == why);
  }
  CHECK(refused([] { choose(cube, {Kernel::single_block, {}}, portable()); }) != "");
}

TEST_CASE("the library computes in the element type's own mode unless told otherwise", "[choose]") {
  CHECK(choose(cube, {}, native()).math == ComputeMode::fp32);
  CHECK(choose(cube, {}, native(today, ComputeMode::fp64)).math == ComputeMode::fp64);
  CHECK(choose(cube, {Kernel::automatic, {}, ComputeMode::fp32}, native()).math == ComputeMode::fp32);
  CHECK(choose(cube, {Kernel::naive, {}}, native(today, ComputeMode::fp64)).math == ComputeMode::fp64);
}

TEST_CASE("a math mode of another element type, or of no kernel, is refused", "[choose]") {
  CHECK(refused([] {
          choose(cube, {Kernel::automatic, {}, ComputeMode::tf32}, native(today, ComputeMode::fp64));
        }).ends_with("(tf32, fp64): take one of fp64, fp64_int8"));
  CHECK(problem([] {
          choose(cube, {Kernel::tiled, {}, ComputeMode::fp64}, native());
        }).ends_with("(fp64, fp32)"));
  CHECK(refused([] {
          choose(cube, {}, portable(today, ComputeMode::bf16));
        }).ends_with("(portable path): compute in one of fp32, fp64"));
  CHECK(problem([] {
          choose(cube, {}, {Path::native, today, ComputeMode::bf16, {}, 75});
        }).ends_with("(native path, compute capability 7.5)"));
}

TEST_CASE("mixed types are computed on GPUs by rungs with their mode, else refused with the kernel of CPUs",
          "[choose]") {
  for (const ComputeMode math : all_modes) {
    if (!is_mixed(math)) continue;
    INFO(to_string(math));
    CHECK(choose(cube, {}, cpu(math)).kernel == Kernel::packed);
    for (const Path path : {Path::portable, Path::native}) {
      const Target target = testing::h200(path, math);
      if (std::any_of(std::begin(ladder), std::end(ladder),
                      [&](const Rung& rung) { return detail::computes(rung, target); })) {
        CHECK(detail::computes(rung_of(choose(cube, {}, target).kernel), target));
        continue;
      }
      for (const Kernel kernel : {Kernel::automatic, Kernel::naive}) {
        const std::string refusal = refused([&] { choose(cube, {.kernel = kernel}, target); });
        CHECK(refusal.find(to_string(math)) != std::string::npos);
        CHECK(refusal.ends_with("packed"));
      }
    }
  }
}

TEST_CASE("products with a wider C get tensor cores on a Hopper GPU, fed by TMA or by threads", "[choose]") {
  for (const ComputeMode math : {ComputeMode::fp16_fp32, ComputeMode::bf16_fp32, ComputeMode::int8_int32}) {
    for (const Path path : {Path::native, Path::portable}) {
      INFO(to_string(math) << ", " << to_string(path));
      Target h200 = testing::h200(path, math);
      h200.wgmma = ladder_modes::wgmma;
      GemmDesc desc = describe_row_major({4096, 4096, 4096}, math, 1);
      const GemmPlan large = detail::choose(desc, {}, h200);
      CHECK((large.kernel == Kernel::warpgroup && large.seconds > 0));
      // wgmma needs int8 operands that are contiguous along K.
      CHECK(large.b.repack == (math == ComputeMode::int8_int32));
      desc.by_pointers = true;
      const Kernel by_threads = detail::choose(desc, {}, h200).kernel;
      CHECK((by_threads == Kernel::tensor_core || by_threads == Kernel::stream_k_tensor_core));
      CHECK(choose({8, 8, 8}, {}, h200, 100000).kernel == Kernel::small_batched);
    }
  }
}

TEST_CASE("complex tf32 of large products is multiplied as real numbers", "[choose][1m]") {
  for (const Path path : {Path::native, Path::portable}) {
    INFO(to_string(path));
    Target h200 = testing::h200(path, ComputeMode::cfp32);
    h200.wgmma = ladder_modes::wgmma;
    const GemmOptions tf32{.math = ComputeMode::cfp32_tf32};
    const GemmShape large{4096, 4096, 4096};
    CHECK(choose(large, {}, h200).math == ComputeMode::cfp32);
    CHECK(choose(large, tf32, h200).kernel == Kernel::warpgroup_1m);
    CHECK(choose({64, 64, 64}, tf32, h200).kernel == Kernel::tensor_core);
    const GemmOptions no_workspace{.math = ComputeMode::cfp32_tf32, .workspace = {nullptr, 0}};
    CHECK(choose(large, no_workspace, h200).kernel != Kernel::warpgroup_1m);
    h200.capability = 80, h200.wgmma = {};
    CHECK(choose(large, tf32, h200).kernel != Kernel::warpgroup_1m);
  }
}

TEST_CASE("small batch entries share a thread block", "[choose]") {
  for (const Path path : {Path::portable, Path::native}) {
    for (const ComputeMode math : ladder_modes::elements) {
      const Target h200 = testing::h200(path, math);
      INFO(to_string(path) << ' ' << to_string(math));
      CHECK(choose({8, 8, 8}, {}, h200, 10000).kernel == Kernel::small_batched);
      CHECK(choose({8, 8, 8}, {}, h200, 1).kernel != Kernel::small_batched);
      CHECK(choose({33, 4, 4}, {}, h200, 10000).kernel != Kernel::small_batched);
      const auto tile = [&](GemmShape shape) {
        return default_tile(rung_of(Kernel::small_batched), shape, h200, 1000);
      };
      CHECK(tile({4, 4, 16}) == ladder_tiles::small_batched[0]);
      CHECK(tile({5, 4, 4}) == ladder_tiles::small_batched[1]);
      CHECK(tile({1, 9, 1}) == ladder_tiles::small_batched[2]);
      CHECK(tile({17, 1, 1}) ==
            ladder_tiles::small_batched[math == ComputeMode::cfp64 ? 2 : 3]);  // 48 KiB are too small
    }
  }
  CHECK(choose({8, 8, 8}, {}, testing::h200(Path::native, ComputeMode::tf32x3), 10000).math ==
        ComputeMode::fp32);
  // If each entry of a batch by pointers needs its own launch, entries cannot share a thread block.
  Target amd = testing::h200(Path::portable, ComputeMode::fp32);
  amd.reads_pointers = false;
  CHECK(choose({8, 8, 8}, {}, amd, 10000).kernel == Kernel::small_batched);
  GemmDesc by_pointers = describe({8, 8, 8}, Type::fp32, 10000);
  by_pointers.by_pointers = true;
  CHECK(choose(by_pointers, {}, amd).kernel != Kernel::small_batched);
}

TEST_CASE("three products of tf32 give way to fp32 where that is faster", "[choose]") {
  const Target h200 = testing::h200(Path::native, ComputeMode::tf32x3);
  for (const GemmShape shape :
       {GemmShape{64, 64, 64}, {512, 512, 512}, {2048, 2048, 2048}, {4095, 4097, 4093}, {16384, 64, 4096}}) {
    INFO(to_string(shape));
    const GemmPlan plan = choose(shape, {}, h200);
    const double three = choose(shape, {.kernel = Kernel::warpgroup_tf32x3}, h200).seconds;
    const double one = choose(shape, {.math = ComputeMode::fp32}, h200).seconds;
    CHECK(plan.math == (one < three ? ComputeMode::fp32 : ComputeMode::tf32x3));
    CHECK(plan.seconds == std::min(one, three));
  }
  CHECK(choose({64, 64, 64}, {}, h200).math == ComputeMode::fp32);
  CHECK(choose({4096, 4096, 4096}, {}, h200).math == ComputeMode::tf32x3);
  // A named kernel or tile keeps tf32x3, and so does an unknown device.
  const GemmShape small{64, 64, 64};
  CHECK(choose(small, {Kernel::warpgroup_tf32x3, {}}, h200).math == ComputeMode::tf32x3);
  CHECK(choose(small, {Kernel::automatic, {128, 64, 32, 1, 32}}, h200).math == ComputeMode::tf32x3);
  Target unknown = h200;
  unknown.sms = 0;
  CHECK(choose(small, {}, unknown).math == ComputeMode::tf32x3);
}

TEST_CASE("times in other modes and on other architectures follow the rates of the data sheets", "[choose]") {
  const GemmShape shape{4096, 4096, 4096};
  const auto seconds = [&](std::string_view device, ComputeMode math) {
    return choose(shape, {}, target_of(model::find_device(device), Path::portable, math)).seconds;
  };
  // An H100 does four times as many multiply-adds in fp64 as an A100, and somewhat more in fp32.
  CHECK(seconds("A100", ComputeMode::fp64) > 2 * seconds("H100", ComputeMode::fp64));
  CHECK(seconds("A100", ComputeMode::fp32) > 1.5 * seconds("H100", ComputeMode::fp32));
  CHECK(seconds("MI300X", ComputeMode::fp64) < seconds("A100", ComputeMode::fp64));
  CHECK(target_of(model::find_device("A100"), Path::native, ComputeMode::fp64).costs.is_generic);
  CHECK_FALSE(target_of(model::find_device("H200"), Path::native, ComputeMode::fp64).costs.is_generic);
}

}  // namespace
}  // namespace rooftile
