// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "rooftile/ladder.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/kernel_table.hpp"
#include "plan/register_blocks.hpp"
#include "rooftile/find_kernel.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/scratch_folder.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

/// The largest number of threads per block on any of these GPUs.
constexpr int max_threads = 1024;

void check_tile(const std::string& name, TileShape s, std::vector<std::string>& faults) {
  const bool positive = s.bm > 0 && s.bn > 0 && s.bk > 0 && s.tm > 0 && s.tn > 0;
  if (!positive || s.bm % s.tm != 0 || s.bn % s.tn != 0) {
    faults.push_back(name + ": no tile");
  } else if (s.threads() > max_threads) {
    faults.push_back(name + ": too many threads");
  }
}

/// Whether any type has a kernel with the tile. A tile whose name occurs twice may be built for no type.
bool is_built_somewhere(const Rung& rung, TileShape tile) {
  return std::any_of(rung.modes.begin(), rung.modes.end(), [&](ComputeMode math) {
    const Type type = type_of(math);
    return (rung.native && detail::is_built(rung, Path::native, tile, type)) ||
           (rung.portable && detail::is_built(rung, Path::portable, tile, type));
  });
}

/// Checks that exactly the register-blocked rungs use panels, run on GPUs, and have whole warps.
void check_panels(const Rung& rung, std::vector<std::string>& faults) {
  const std::string name(rung.name);
  if (rung.is_warp_mma() && !rung.has_panels()) faults.push_back(name + ": fragments without panels");
  if (rung.has_panels() && rung.runs_on != RunsOn::gpus)
    faults.push_back(name + ": panels that are not for GPUs");
  if ((rung.tiles_taken == Tiles::of_caches) != (rung.runs_on == RunsOn::cpus))
    faults.push_back(name + ": blocks of caches that are not a CPU's");
  for (const TileShape tile : rung.tiles) {
    // Hopper's rungs and the rung with several tiles per block manage their stages themselves.
    if (detail::blocked_for_registers(tile) !=
        (rung.has_panels() || rung.tma || (!rung.modes.empty() && takes_residues(rung.modes.front())) ||
         rung.block_threads > 0))
      faults.push_back(name + ": stages exactly where tiles are blocked for registers");
    if (rung.block_threads % 32 != 0 || rung.block_threads % tile.threads() != 0)
      faults.push_back(name + ": no whole tiles in a block of whole warps");
    if (!rung.has_panels()) continue;
    if (tile.tm < 1 || tile.tn < 1 || tile.threads() % 32 != 0) faults.push_back(name + ": no whole warps");
    if (detail::blocked_for_registers(tile) && !is_built_somewhere(rung, tile))
      faults.push_back(name + ": a tile that no type has");
  }
}

/// The errors in a table of kernels.
std::vector<std::string> table_faults(std::span<const Rung> table) {
  std::vector<std::string> faults;
  std::set<std::string_view> names;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Rung& rung = table[row];
    const std::string name(rung.name);
    if (static_cast<std::size_t>(rung.kernel) != row) faults.push_back(name + ": kernel is not its row");
    if (name.empty() || !names.insert(rung.name).second) faults.push_back(name + ": name not unique");
    if (rung.idea.empty()) faults.push_back(name + ": no idea");
    if (!rung.native && !rung.portable) faults.push_back(name + ": on no path");
    if (rung.modes.empty()) faults.push_back(name + ": computes in nothing");
    for (const auto maths : {rung.modes, rung.portable_modes}) {
      for (const ComputeMode math : maths) {
        if (math == ComputeMode::automatic) faults.push_back(name + ": automatic is no mode of a kernel");
        if (std::count(maths.begin(), maths.end(), math) != 1) faults.push_back(name + ": math mode twice");
      }
    }
    if (!rung.portable_modes.empty() && !rung.portable)
      faults.push_back(name + ": portable modes of a kernel that is not");
    if (rung.capabilities.min > rung.capabilities.max || (rung.capabilities.min > 0 && !rung.native))
      faults.push_back(name + ": no such compute capabilities");
    check_panels(rung, faults);
    for (const TileShape tile : rung.tiles) {
      check_tile(name, tile, faults);
      if (std::count(rung.tiles.begin(), rung.tiles.end(), tile) != 1)
        faults.push_back(name + ": tile twice");
    }
    for (const KernelTile& tile : rung.tiles) {
      for (const auto& [math, stages] : tile.modes) {
        if (math == ComputeMode::automatic) continue;
        if (!rung.supports(math, Path::native) && !rung.supports(math, Path::portable))
          faults.push_back(name + ": a tile in a mode that the rung has not");
        if (stages < rung.min_stages) faults.push_back(name + ": fewer stages than the rung needs");
      }
    }
    const bool listed = rung.tiles_taken == Tiles::listed;
    if (listed && std::find(rung.tiles.begin(), rung.tiles.end(), rung.default_tile) == rung.tiles.end()) {
      faults.push_back(name + ": default tile not listed");
    }
    if (!listed && (!rung.tiles.empty() || rung.default_tile))
      faults.push_back(name + ": tiles to no purpose");
    if ((rung.fits == Fits::one_block) != (rung.tiles_taken == Tiles::whole_c)) {
      faults.push_back(name + ": one block is all of C");
    }
  }
  return faults;
}

/// Kernel sources below `root` without a row in the table, and rows without a source.
std::vector<std::string> source_faults(std::span<const Rung> table, const fs::path& root) {
  std::set<std::string> wanted, found;
  for (const Rung& rung : table) {
    const int number = static_cast<int>(rung.kernel);
    const std::string stem =
        std::string{static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)} + '_' +
        std::string(rung.name);
    if (rung.native) wanted.insert("cuda_native/" + stem + ".cu");
    if (rung.portable) wanted.insert("backends/kokkos/" + stem + ".hpp");
  }
  for (const char* folder : {"cuda_native", "backends/kokkos"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const std::string name = entry.path().filename().string();
      if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) found.insert(folder + ('/' + name));
    }
  }
  std::vector<std::string> faults;
  std::set_symmetric_difference(wanted.begin(), wanted.end(), found.begin(), found.end(),
                                std::back_inserter(faults));
  return faults;
}

using Table = std::array<Rung, rung_count>;

Table copy() {
  Table table{};
  std::copy(std::begin(ladder), std::end(ladder), table.begin());
  return table;
}

Rung& row_of(Table& table, Kernel kernel) {
  return table[static_cast<std::size_t>(kernel)];
}

TEST_CASE("the table of kernels is sound", "[ladder]") {
  CHECK(table_faults(ladder) == std::vector<std::string>{});
}

TEST_CASE("every kernel of the table has its source, and every source its row", "[ladder]") {
  CHECK(source_faults(ladder, ROOFTILE_SOURCE_DIR) == std::vector<std::string>{});
}

TEST_CASE("a row of the table has its paths, math modes and compute capabilities", "[ladder]") {
  CHECK(
      (rung_of(Kernel::single_block).on(Path::native) && !rung_of(Kernel::single_block).on(Path::portable)));
  // AMD's matrix instructions, used by the portable path, support fp32. NVIDIA's do not.
  CHECK(rung_of(Kernel::tensor_core).supports(ComputeMode::fp32, Path::portable));
  CHECK_FALSE(rung_of(Kernel::tensor_core).supports(ComputeMode::fp32, Path::native));
  for (const std::span<const ComputeMode> maths : {std::span<const ComputeMode>(ladder_modes::warp_mma),
                                                   std::span<const ComputeMode>(ladder_modes::mfma)}) {
    for (const ComputeMode math : maths) CHECK(rung_of(Kernel::tensor_core).supports(math, Path::portable));
  }
  CHECK(Capabilities{}.contain(0));
  CHECK((Capabilities{80}.contain(80) && Capabilities{80}.contain(120) && !Capabilities{80}.contain(75)));
  CHECK((Capabilities{90, 90}.contain(90) && !Capabilities{90, 90}.contain(100)));
}

TEST_CASE("operands are repacked in each mode of one real product, for one rung that computes in it",
          "[ladder]") {
  for (const ComputeMode math : all_modes) {
    if (is_complex(type_of(math)) || is_mixed(math) || mode_of(math).terms > 1) continue;
    INFO(to_string(math));
    int rungs = 0;
    for (const Rung& rung : ladder) {
      if (!contains(rung.repacks, math)) continue;
      ++rungs;
      CHECK((rung.supports(math, Path::native) && rung.supports(math, Path::portable) && rung.has_panels()));
    }
    CHECK(rungs == 1);
  }
}

/// A change that makes a table wrong, and its description.
struct Spoilt {
  const char* what;
  void (*spoil)(Table&);
};

constexpr ComputeMode fp32_twice[] = {ComputeMode::fp32, ComputeMode::fp64, ComputeMode::fp32},
                      not_a_mode[] = {ComputeMode::fp32, ComputeMode::automatic};
constexpr KernelTile too_wide[] = {square_tile(32), square_tile(64)},
                     tile_twice[] = {square_tile(32), square_tile(32)},
                     ragged[] = {square_tile(32), {{32, 32, 32, 3, 1}}},
                     half_a_warp[] = {{{128, 128, 16, 8, 8}, {{ComputeMode::fp32, 4}}},
                                      {{32, 32, 16, 8, 8}, {{ComputeMode::fp32, 4}}}},
                     not_its_mode[] = {{{128, 128, 16, 8, 8},
                                        {{ComputeMode::fp32, 4}, {ComputeMode::tf32, 4}}}},
                     no_mode[] = {{{128, 128, 16, 8, 8}}};

constexpr Spoilt spoilt_tables[] = {
    {"a kernel in another's row", [](Table& t) { std::swap(t[1], t[2]); }},
    {"two kernels of one name", [](Table& t) { row_of(t, Kernel::tiled).name = "naive"; }},
    {"no name", [](Table& t) { row_of(t, Kernel::tiled).name = ""; }},
    {"no idea", [](Table& t) { row_of(t, Kernel::tiled).idea = ""; }},
    {"no math mode", [](Table& t) { row_of(t, Kernel::tiled).modes = {}; }},
    {"a math mode twice", [](Table& t) { row_of(t, Kernel::tiled).modes = fp32_twice; }},
    {"a math mode that is none", [](Table& t) { row_of(t, Kernel::tiled).modes = not_a_mode; }},
    {"a portable mode twice", [](Table& t) { row_of(t, Kernel::tiled).portable_modes = fp32_twice; }},
    {"modes on a path that the kernel is not on",
     [](Table& t) { row_of(t, Kernel::single_block).portable_modes = ladder_modes::fp32; }},
    {"compute capabilities that no device has",
     [](Table& t) {
       row_of(t, Kernel::tiled).capabilities = {90, 80};
     }},
    {"no path",
     [](Table& t) { row_of(t, Kernel::tiled).native = row_of(t, Kernel::tiled).portable = false; }},
    {"a default that is not listed",
     [](Table& t) { row_of(t, Kernel::tiled).default_tile = square_tile(64); }},
    {"no default", [](Table& t) { row_of(t, Kernel::tiled).default_tile = {}; }},
    {"a listed tile of too many threads", [](Table& t) { row_of(t, Kernel::tiled).tiles = too_wide; }},
    {"a tile twice", [](Table& t) { row_of(t, Kernel::tiled).tiles = tile_twice; }},
    {"threads that do not divide the tile", [](Table& t) { row_of(t, Kernel::tiled).tiles = ragged; }},
    {"fewer stages than the rung needs", [](Table& t) { row_of(t, Kernel::pipelined).min_stages = 5; }},
    {"stages of tiles that are not blocked",
     [](Table& t) {
       Rung& tiled = row_of(t, Kernel::tiled);
       tiled.min_stages = 1, tiled.runs_on = RunsOn::gpus;
     }},
    {"blocked tiles without stages",
     [](Table& t) {
       Rung& rung = row_of(t, Kernel::register_blocked);
       rung.min_stages = 0;
     }},
    {"panels on CPUs", [](Table& t) { row_of(t, Kernel::pipelined).runs_on = RunsOn::anything; }},
    {"fragments without panels", [](Table& t) { row_of(t, Kernel::tiled).engine = Engine::warp_mma; }},
    {"blocks of caches on GPUs", [](Table& t) { row_of(t, Kernel::packed).runs_on = RunsOn::gpus; }},
    {"blocked tiles of half a warp", [](Table& t) { row_of(t, Kernel::pipelined).tiles = half_a_warp; }},
    {"a tile in a mode that the rung has not",
     [](Table& t) { row_of(t, Kernel::pipelined).tiles = not_its_mode; }},
    {"a tile with panels without a mode", [](Table& t) { row_of(t, Kernel::pipelined).tiles = no_mode; }},
    {"tiles that nobody reads", [](Table& t) { row_of(t, Kernel::tiled).tiles_taken = Tiles::any_square; }},
    {"one block with tiles of its own", [](Table& t) { row_of(t, Kernel::tiled).fits = Fits::one_block; }},
};

TEST_CASE("an unsound table of kernels is detected", "[ladder]") {
  for (const Spoilt& spoilt : spoilt_tables) {
    INFO(spoilt.what);
    Table table = copy();
    spoilt.spoil(table);
    CHECK_FALSE(table_faults(table).empty());
  }
}

/// A source tree of empty files that matches the table.
struct SourceTree : testing::ScratchFolder {
  const fs::path path = *this / "rooftile";

  SourceTree() {
    fs::create_directories(path / "cuda_native");
    fs::create_directories(path / "backends/kokkos");
    for (const char* file : {"cuda_native/00_one.cu", "cuda_native/01_two.cu", "cuda_native/gemm.cpp",
                             "backends/kokkos/01_two.hpp"}) {
      std::ofstream(path / file).put('\n');
    }
  }
};

TEST_CASE("a missing or a stray kernel source is detected", "[ladder]") {
  Rung one = rung_of(Kernel::single_block), two = rung_of(Kernel::naive);
  one.name = "one", two.name = "two";
  const std::array table{one, two};
  const SourceTree tree;
  using Names = std::vector<std::string>;
  CHECK(source_faults(table, tree.path) == Names{});
  SECTION("missing") {
    fs::remove(tree.path / "backends/kokkos/01_two.hpp");
    CHECK(source_faults(table, tree.path) == Names{"backends/kokkos/01_two.hpp"});
  }
  SECTION("stray") {
    std::ofstream(tree.path / "cuda_native/02_three.cu").put('\n');
    CHECK(source_faults(table, tree.path) == Names{"cuda_native/02_three.cu"});
  }
  SECTION("another number") {
    fs::rename(tree.path / "cuda_native/01_two.cu", tree.path / "cuda_native/03_two.cu");
    CHECK(source_faults(table, tree.path).size() == 2);
  }
}

using testing::all_kernels, testing::refused;

TEST_CASE("kernels are found by name", "[find_kernel]") {
  for (const Rung& rung : ladder) CHECK(find_kernel(rung.name) == rung.kernel);
  CHECK(find_named("pipelined+repack").kernel == Kernel::pipelined);
  CHECK((find_named("pipelined+repack").repack && !find_named("pipelined").repack));
  CHECK(to_string(find_named("tensor_core+repack")) == std::string("tensor_core+repack"));
  CHECK(refused([] { find_named("+repack"); }) == "unknown kernel (): take one of " + all_kernels());
  for (const char* name : {"", "Tiled", "tiled ", "tile", "tilde", "automatic"}) {
    CHECK(refused([name] { find_kernel(name); }) ==
          std::string("unknown kernel (") + name + "): take one of " + all_kernels());
  }
}

/// The rows of the ladder name instances, which must therefore be defined.
template <Kernel kernel, Path path, ComputeMode math>
int made() {
  static_assert(rung_of(kernel).supports(math, path));
  return static_cast<int>(kernel) * 100 + static_cast<int>(math);
}

template <Path path, class T>
constexpr auto functions = detail::kernel_table<int (*)()>([]<Kernel kernel>(
                                                               std::integral_constant<Kernel, kernel>) {
  return detail::kernel_row<kernel, path, T, int (*)()>(
      []<ComputeMode math>(std::integral_constant<ComputeMode, math>) { return &made<kernel, path, math>; });
});

template <Path path, class T>
void check_table() {
  for (const Rung& rung : ladder) {
    for (const ComputeMode math : all_modes) {
      const auto function = functions<path, T>(rung.kernel, math);
      const bool wanted = is_mode_of<T>(math) && rung.supports(math, path);
      REQUIRE((function != nullptr) == wanted);
      if (wanted) CHECK(function() == static_cast<int>(rung.kernel) * 100 + static_cast<int>(math));
    }
  }
}

TEST_CASE("a table has the functions of the rungs and math modes of its element type", "[ladder]") {
  check_table<Path::native, float>();
  check_table<Path::native, double>();
  check_table<Path::native, float16>();
  check_table<Path::native, bfloat16>();
  check_table<Path::portable, float>();
  check_table<Path::portable, double>();
}

}  // namespace
}  // namespace rooftile
