// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/group_plan.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "plan/recent_plans.hpp"
#include "tests/support/refused.hpp"
#include "tests/support/targets.hpp"

namespace rooftile {
namespace {

using detail::plan_group;
using testing::h200;

/// Row-major products, far apart, in memory that is never accessed.
template <class T>
std::vector<GemmArgs<T>> group_of(const std::vector<GemmShape>& shapes) {
  std::vector<GemmArgs<T>> products;
  for (const auto& [m, n, k] : shapes) {
    const auto memory = [&](std::uintptr_t operand) {
      return reinterpret_cast<T*>(((3 * products.size() + operand) << 40) + (std::uintptr_t{1} << 60));
    };
    products.push_back({Scalar<T>(1), row_major<const T>(memory(0), m, k),
                        row_major<const T>(memory(1), k, n), Scalar<T>(0), row_major(memory(2), m, n)});
  }
  return products;
}

template <class T>
detail::GroupPlan<T> planned(const std::vector<GemmArgs<T>>& products, const GemmOptions& options = {},
                             Path path = Path::native) {
  return plan_group<T>(products, options, h200(path, own_mode<T>()));
}

template <class T>
std::size_t shared(const detail::GroupPlan<T>& plan) {
  std::size_t count = 0;
  for (const auto& launch : plan.shared) count += launch.entries.size();
  return count;
}

TEST_CASE("small products share launches, and those that fill the GPU have their own", "[group]") {
  std::vector<GemmShape> shapes(100, {60, 50, 40});
  shapes[7] = {3000, 4000, 500};
  shapes[8] = {0, 5, 6};
  shapes[9] = {5, 6, 0};
  const auto plan = planned(group_of<float>(shapes));
  CHECK((plan.kernel == Kernel::pipelined && plan.math == ComputeMode::fp32));
  REQUIRE(plan.alone.size() == 1);
  CHECK(plan.alone[0].number == 7);
  CHECK(shared(plan) == 98);  // the empty product is left out
  CHECK(planned(group_of<double>(shapes)).kernel == Kernel::tensor_core);
  CHECK(shared(planned(group_of<complex<float>>(shapes), {}, Path::portable)) == 98);
  CHECK(shared(planned(group_of<float16>(shapes))) == 0);
  CHECK(planned(group_of<float16>(shapes)).alone.size() == 100);
}

TEST_CASE("a long product has its own launch unless the others take as long", "[group]") {
  std::vector<GemmShape> shapes(50, {60, 50, 40});
  shapes[7] = {60, 50, 50000};
  CHECK(planned(group_of<float>(shapes)).alone.size() == 1);
  shapes[9] = {3000, 4000, 50};
  const auto two = planned(group_of<float>(shapes));
  REQUIRE(two.alone.size() == 2);
  CHECK((two.alone[0].number == 7 && two.alone[1].number == 9));  // in their order
  const std::vector<GemmShape> alike(2000, {60, 50, 50000});
  CHECK(planned(group_of<float>(alike)).alone.empty());
}

TEST_CASE("large tiles are for products with a long K", "[group]") {
  const auto small = [](const GemmShape& shape) {
    return planned(group_of<float>({shape})).shared[0].entries[0].is_small();
  };
  CHECK(small({20, 30, 400}));
  CHECK(small({128, 128, 64}));
  CHECK_FALSE(small({256, 256, 600}));
  // With matrix instructions, the portable path has only large tiles.
  CHECK(planned(group_of<double>({{20, 30, 9}})).shared[0].entries[0].is_small());
  CHECK_FALSE(planned(group_of<double>({{20, 30, 9}}), {}, Path::portable).shared[0].entries[0].is_small());
}

TEST_CASE("of a group's tiles a product gets the one whose steps along K take least of the SMs", "[group]") {
  struct Tile {
    TileShape shape;
    double start;  // in steps
  };
  const auto check = [](const Target& target, const Rung& rung, const std::vector<Tile>& tiles) {
    const detail::GroupChoice choice({}, target);
    REQUIRE(choice.kernel == rung.kernel);
    bool chosen[2] = {};
    for (const GemmShape corner : {GemmShape{20, 30, 0}, {64, 64, 0}, {65, 64, 0}, {200, 300, 0}}) {
      for (Index k = 1; k < 1500; k += 7) {
        const GemmShape shape{corner.m, corner.n, k};
        double least = 0, cycles = 1e6;
        std::size_t best = tiles.size();
        for (std::size_t i = 0; i < tiles.size(); ++i) {
          const detail::ModeModel model(target.costs, target.path, target.math);
          const model::TileCosts* costs = model.find(rung.kernel, tiles[i].shape);
          if (costs == nullptr) costs = model.find(Kernel::stream_k, tiles[i].shape);
          REQUIRE(costs != nullptr);
          const double step = static_cast<double>(costs->busy) / tiles[i].shape.bk;
          const auto count = static_cast<double>(detail::tile_count(tiles[i].shape, shape));
          const double cost = count * (static_cast<double>(k) + tiles[i].start) * step;
          if (best == tiles.size() || cost < least) best = i, least = cost;
        }
        const detail::GroupTile* const found = choice.tile_for(shape, cycles);
        REQUIRE((found != nullptr && found->shape == tiles[best].shape));
        CHECK(std::abs(cycles - 1e6 - least) < 1e-6 * least + 1e-3);
        chosen[best] = true;
      }
    }
    CHECK((chosen[tiles.size() - 1] && chosen[0]));
  };
  const Rung &pipelined = rung_of(Kernel::pipelined), &tensor_core = rung_of(Kernel::tensor_core);
  // With multiply-adds, the start of a large tile takes as long as 96 steps, and that of a small tile 16.
  for (const Path path : {Path::native, Path::portable}) {
    check(h200(path, ComputeMode::fp32), pipelined, {{{64, 64, 16, 8, 4}, 96}, {{32, 64, 16, 4, 4}, 16}});
    check(h200(path, ComputeMode::cfp32), pipelined, {{{32, 64, 8, 4, 4}, 16}});
  }
  check(h200(Path::native, ComputeMode::fp64), tensor_core,
        {{{32, 64, 16, 4, 4}, 16}, {{32, 32, 16, 4, 2}, 16}});
  check(h200(Path::portable, ComputeMode::fp64), tensor_core, {{{32, 64, 16, 4, 4}, 16}});
}

TEST_CASE("a product has its own launch if its large tiles fill the SMs, or its K outlasts the others",
          "[group]") {
  const detail::GroupChoice choice({}, h200(Path::native, ComputeMode::fp32));
  double cycles = 0;
  CHECK(choice.tile_for({64 * 132, 64, 10}, cycles) == nullptr);
  CHECK(choice.tile_for({64 * 131 + 1, 64, 10}, cycles) == nullptr);
  CHECK(cycles == 0);
  CHECK(choice.tile_for({64 * 131, 64, 10}, cycles) != nullptr);
  const double step = choice.tile_for({20, 30, 400}, cycles)->step;  // of the small tile
  const double all = 2048 * step * 132;
  CHECK_FALSE(choice.ends_last(2048, all));
  CHECK(choice.ends_last(2048, 0.999 * all));
  CHECK_FALSE(choice.ends_last(2047, 0));
}

TEST_CASE("products that an entry has no room for, or whose kernel is named, have their own launch",
          "[group]") {
  std::vector<GemmArgs<float>> products =
      group_of<float>({{60, 50, 40}, {60, 50, 40}, {60, 50, 70000}, {9, 9, 9}});
  products[0].A.col_stride = 2, products[0].A.row_stride = 90;  // neither stride is 1
  products[1].B.row_stride = Index{1} << 31;
  const auto plan = planned(products);
  REQUIRE(plan.alone.size() == 3);
  CHECK((plan.alone[0].number == 0 && plan.alone[1].number == 1 && plan.alone[2].number == 2));
  CHECK(shared(planned(products, {.kernel = Kernel::pipelined})) == 1);
  CHECK(shared(planned(products, {.kernel = Kernel::naive})) == 0);
  CHECK(shared(planned(products, {.kernel = Kernel::pipelined, .tile = {64, 64, 16, 8, 8}})) == 0);
  CHECK(shared(planned(products, {.math = ComputeMode::tf32})) == 0);
}

TEST_CASE("the plans of a group say which products share launches", "[group]") {
  const std::vector<GemmArgs<double>> products =
      group_of<double>({{60, 50, 40}, {3000, 4000, 500}, {0, 5, 6}, {20, 30, 4}});
  const auto plans = detail::plans_in_group<double>(products, {}, h200(Path::native, ComputeMode::fp64));
  REQUIRE(plans.size() == 4);
  CHECK((plans[0].together && !plans[1].together && !plans[2].together && plans[3].together));
  CHECK(plans[3].tile == TileShape{32, 32, 16, 4, 2});
  CHECK(steps_of(plans[0]).back() == "multiply in a launch with others of the group");
  for (std::size_t i = 0; i < 4; ++i) CHECK(plans[i].desc.shape == products[i].shape());
  const auto one = detail::launch_of<double>(plans[3], products[3]);
  CHECK((one.entries.size() == 1 && one.entries[0].is_small()));
}

TEST_CASE("a wrong product of a group is refused by its number", "[group]") {
  std::vector<GemmArgs<float>> products = group_of<float>({{60, 50, 40}, {60, 50, 40}});
  products[1].A.cols = 39;
  CHECK(testing::refused([&] { planned(products); }).find("product 1 of 2, counted from 0: ") == 0);
}

template <class T>
void check_entry(const GemmArgs<T>& args) {
  REQUIRE(detail::fits_entry(args));
  const GemmArgs<T> found = detail::GroupEntry<T>::of(args).product();
  CHECK((found.shape() == args.shape() && found.alpha == args.alpha && found.beta == args.beta));
  const auto same = [](const auto& x, const auto& y) {
    bool all = x.data == y.data && x.rows == y.rows && x.cols == y.cols;
    for (Index i = 0; i < x.rows; ++i) {
      for (Index j = 0; j < x.cols; ++j) all = all && &x(i, j) == &y(i, j);
    }
    return all && detail::reads_conjugates(x) == detail::reads_conjugates(y);
  };
  CHECK((same(found.A, args.A) && same(found.B, args.B) && same(found.C, args.C)));
}

TEST_CASE("an entry is the product that it was made of", "[group]") {
  for (const GemmShape& shape : {GemmShape{5, 6, 7}, {1, 6, 7}, {5, 1, 7}, {5, 6, 1}, {1, 1, 1}, {5, 6, 0}}) {
    for (int layouts = 0; layouts < 8; ++layouts) {
      GemmArgs<complex<double>> args = group_of<complex<double>>({shape})[0];
      args.alpha = {2, 3}, args.beta = {4, 5};
      const auto lay = [&](auto& X, int bit) {
        X.row_stride += 3;
        if ((layouts & bit) != 0) X.row_stride = 1, X.col_stride = X.rows + 2;
      };
      lay(args.A, 1), lay(args.B, 2), lay(args.C, 4);
      if (layouts % 2 == 0) args.A = args.A.conjugated();
      if (layouts % 3 == 0) args.B = args.B.conjugated();
      check_entry(args);
    }
  }
}

TEST_CASE("a wrong workspace of a group is refused even where no product takes any", "[group]") {
  alignas(128) static char memory[256];
  const auto products = group_of<float>({{60, 50, 40}});
  const auto refusal = [&](WorkspaceMemory given) {
    return testing::refused([&] { planned(products, {.workspace = given}); });
  };
  CHECK(refusal({memory}).starts_with("workspace from the caller without its size"));
  CHECK(refusal({memory + 64, 128}).starts_with("workspace not aligned ("));
  CHECK(shared(planned(products, {.workspace = {memory, 256}})) == 1);
}

TEST_CASE("every tile of a group is found once, the longest products first", "[group]") {
  const GroupTiles tiles{Type::fp32, {64, 64, 16, 8, 4}, {32, 64, 16, 4, 4}};
  const std::vector<GemmShape> few{{60, 50, 40}, {200, 90, 400}, {1, 1, 1}, {33, 65, 9}, {128, 128, 1000}};
  std::vector<GemmShape> many(3000, {60, 50, 40});
  many[1234] = {9000, 60, 500};
  for (const std::vector<GemmShape>& shapes : {few, many, {{1, 1, 1}}}) {
    std::vector<detail::GroupEntry<float>> entries, placed(shapes.size() + 1);
    for (const auto& args : group_of<float>(shapes)) {
      entries.push_back(detail::GroupEntry<float>::of(args));
      if (entries.size() % 3 == 0) entries.back().facts |= detail::GroupEntry<float>::small;
    }
    detail::GroupIndex index;
    const unsigned blocks = detail::place_longest_first<float>(entries, tiles, placed.data(), index);
    for (std::size_t i = 1; i < shapes.size(); ++i) CHECK(placed[i].k / 16 <= placed[i - 1].k / 16);
    unsigned expected = 0;
    for (const auto& entry : entries) expected += detail::tiles_of_entry(entry, tiles);
    REQUIRE(blocks == expected);
    int entry = 0;
    unsigned rank = 0;
    for (unsigned block = 0; block < blocks; ++block) {
      const auto found = detail::tile_of_group(placed.data(), index, block);
      REQUIRE((found.entry == entry && found.rank == rank));
      if (++rank == detail::tiles_of_entry(placed[static_cast<std::size_t>(entry)], tiles)) ++entry, rank = 0;
    }
    CHECK(entry == static_cast<int>(shapes.size()));
  }
}

TEST_CASE("an entry of the index of a group's tiles stands for as few tiles as possible", "[group]") {
  constexpr unsigned size = detail::GroupIndex::size;
  for (const auto& [tiles, shift] :
       {std::pair{1U, 0}, {size, 0}, {size + 1, 1}, {2 * size, 1}, {2 * size + 1, 2}}) {
    const auto args = group_of<float>({{1, 1, 1}})[0];
    const std::vector entries(tiles, detail::GroupEntry<float>::of(args));
    std::vector<detail::GroupEntry<float>> placed(tiles + 1);
    detail::GroupIndex index;
    CHECK(detail::place_longest_first<float>(entries, {Type::fp32, {64, 64, 16, 8, 4}}, placed.data(),
                                             index) == tiles);
    CHECK(index.shift == shift);
  }
}

}  // namespace
}  // namespace rooftile

// Reuse of recent plans.
namespace rooftile::testing {
namespace {

/// Plans through a thread's recent plans, and counts the plans that are created.
struct Planner {
  detail::RecentPlans recent;
  int made = 0;

  GemmPlan operator()(const GemmDesc& desc, const GemmOptions& options = {},
                      const detail::PathOnDevice& where = {Path::native, 0}) {
    GemmPlan found;
    const auto make = [&] {
      ++made;
      return plan(desc, options, h200(where.path, own_mode(desc.type)));
    };
    recent.with_plan(where, desc, options, make, [&](const GemmPlan& plan) { found = plan; });
    return found;
  }
};

TEST_CASE("other products, options, devices or paths have plans of their own", "[recent_plans]") {
  Planner planner;
  const GemmDesc desc = describe({512, 512, 512}, Type::fp32);
  GemmDesc ragged = desc, batch = desc, doubles = desc;
  ragged.alignment.a.whole = false;
  batch.count = 7;
  doubles.type = doubles.result_type = Type::fp64;
  for (const GemmDesc& other : {ragged, batch, doubles}) {
    const int before = planner.made;
    CHECK(planner(desc).desc == desc);
    CHECK(planner(other).desc == other);
    CHECK(planner.made == before + 2);  // replaces the previous plan
  }
  CHECK(planner(desc, {.kernel = Kernel::naive}).kernel == Kernel::naive);
  CHECK(planner(desc).kernel != Kernel::naive);
  alignas(128) char memory[2] = {};
  const GemmOptions mine{.workspace = {memory + 1, 0}};
  CHECK_THROWS(planner(desc, mine));  // not aligned
  const int before = planner.made;
  planner(desc);
  CHECK(planner.made == before);
  planner(desc, {}, {Path::native, 1});
  CHECK(planner.made == before + 1);
  for (const Path path : {Path::native, Path::portable, Path::native})
    CHECK(planner(desc, {}, {path, 0}).path == path);
}

TEST_CASE("the plan of such products is made once, if no shape takes its place", "[recent_plans]") {
  Planner planner;
  const GemmDesc first = describe({64, 64, 64}, Type::fp32);
  GemmDesc second = first;
  while (detail::RecentPlans::place_of(second.shape) == detail::RecentPlans::place_of(first.shape))
    second = describe({second.shape.m + 1, 64, 64}, Type::fp32);
  const GemmPlan once = planner(first);
  for (int i = 0; i < 3; ++i) planner(first), planner(second);
  const GemmPlan again = planner(first);
  CHECK((again.kernel == once.kernel && again.tile == once.tile && again.desc == first));
  CHECK(planner.made == 2);
}

TEST_CASE("a plan with a tuning table is made in every call, because the table may change",
          "[recent_plans]") {
  Planner planner;
  const TuningTable table;
  const GemmDesc desc = describe({64, 64, 64}, Type::fp32);
  const GemmOptions tuned{.tuning = &table};
  planner(desc, tuned), planner(desc, tuned);
  CHECK(planner.made == 2);
}

TEST_CASE("a product computed while a plan is in use does not change that plan", "[recent_plans]") {
  Planner planner;
  const GemmDesc desc = describe({64, 64, 64}, Type::fp32);
  const auto make = [&] { return plan(desc, {}, h200(Path::native, ComputeMode::fp32)); };
  planner.recent.with_plan({Path::native, 0}, desc, {}, make, [&](const GemmPlan& plan) {
    GemmDesc other = desc;
    other.count = 3;
    planner(other);
    CHECK(plan.desc == desc);
  });
}

}  // namespace
}  // namespace rooftile::testing
