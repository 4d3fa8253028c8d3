// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Plans of random products compared with the definition, without mpirun. If one differs, prints the seed and
// exits with 1.
#include <algorithm>
#include <chrono>
#include <string_view>

#include "distributed/mpi/division.hpp"
#include "distributed/mpi/panel_buffers.hpp"
#include "rooftile/error.hpp"
#include "tests/distributed/case.hpp"

namespace rooftile::distributed::test {

namespace {

/// Whether process p of `processes` holds index i of a slice.
bool has(const Slice& slice, int processes, int p, Index i) {
  const Index at = slice.begin + i, first = slice.dealing.first_block();
  const Index block = at < first ? 0 : 1 + (at - first) / slice.dealing.block;
  return (slice.dealing.source + block) % processes == p;
}

/// Counts a plan's workspace and traffic index by index, for each process.
struct Straightforward {
  Operands x;
  Division division;

  bool holds(const Slice& slice, int rank, Index i) const {
    return has(slice, processes_of(slice, x.grid),
               coordinate_of(slice, rank / x.grid.cols, rank % x.grid.cols), i);
  }
  bool computes(const Slice& of_c, int rank, Index i) const {
    if (!division.computes(rank)) return false;
    const auto [layer, row, col] = division.place(rank);
    return has(of_c, processes_of(of_c, division.grid), coordinate_of(of_c, row, col), i);
  }
  bool multiplies(int rank, Index step) const {
    return division.computes(rank) && has(division.k, division.layers, division.place(rank).layer, step);
  }
  template <class F>
  static Index count(const Slice& slice, const F& f) {
    Index counted = 0;
    for (Index i = 0; i < slice.extent; ++i) counted += f(i) ? 1 : 0;
    return counted;
  }

  /// Elements in the buffers of one operand.
  Index panels(const Slice& outer, const Slice& inner, const Slice& wanted, int rank, Index depth) const {
    if (x.on_gpus && stays(outer, inner, wanted, x.grid)) return 0;
    const Index rows = count(outer, [&](Index i) { return holds(outer, rank, i); });
    const Index steps = count(inner, [&](Index i) { return holds(inner, rank, i); });
    const Index sent = rows * std::min(steps, depth * division.layers);
    const Index computed = count(wanted, [&](Index i) { return computes(wanted, rank, i); });
    const auto line = [](Index extent) { return (extent + 15) / 16 * 16; };
    return sent + computed * depth + (x.on_gpus ? 2 * line(computed) * line(depth) : computed * depth);
  }
  std::size_t workspace(Index depth) const {
    Index most = 0;
    for (int rank = 0; rank < x.grid.size(); ++rank) {
      Index elements = panels(x.a_rows, x.a_cols, division.c_rows, rank, depth) +
                       panels(x.b_cols, x.b_rows, division.c_cols, rank, depth);
      if (division.layers > 1) {
        const Index part = count(x.c_rows, [&](Index i) { return computes(division.c_rows, rank, i); }) *
                           count(x.c_cols, [&](Index i) { return computes(division.c_cols, rank, i); });
        const Index held = count(x.c_rows, [&](Index i) { return holds(x.c_rows, rank, i); }) *
                           count(x.c_cols, [&](Index i) { return holds(x.c_cols, rank, i); });
        elements = part + std::max(elements, part + held * division.layers);
      }
      most = std::max(most, elements);
    }
    return static_cast<std::size_t>(most) * size_of(x.type) +
           (x.on_gpus ? padding_on_gpus : padding_of_buffers);
  }

  /// Elements of a matrix that a process needs but does not hold.
  template <class Rows, class Cols>
  double arrives(const Slice& rows, const Slice& cols, int rank, const Rows& of_rows,
                 const Cols& of_cols) const {
    const Index wanted = count(rows, of_rows) * count(cols, of_cols);
    const Index there = count(rows, [&](Index i) { return of_rows(i) && holds(rows, rank, i); }) *
                        count(cols, [&](Index i) { return of_cols(i) && holds(cols, rank, i); });
    return static_cast<double>(wanted - there);
  }
  double bytes_moved() const {
    double elements = 0;
    for (int rank = 0; rank < x.grid.size(); ++rank) {
      const auto row = [&](Index i) { return computes(division.c_rows, rank, i); };
      const auto col = [&](Index i) { return computes(division.c_cols, rank, i); };
      const auto step = [&](Index i) { return multiplies(rank, i); };
      elements += arrives(x.a_rows, x.a_cols, rank, row, step) + arrives(x.b_rows, x.b_cols, rank, step, col);
      if (division.layers > 1) elements += arrives(x.c_rows, x.c_cols, rank, row, col);
    }
    return elements * static_cast<double>(size_of(x.type));
  }
};

Slice random_slice(Draw& draw, const Grid& grid, Index extent, bool to_rows) {
  const Index begin = draw(0, 9);
  const Dealing dealing{begin + extent + draw(0, 5), draw(1, draw.coin() ? 3 : 40),
                        draw.coin() ? 0 : draw(1, 12), draw(0, (to_rows ? grid.rows : grid.cols) - 1)};
  return {dealing, begin, extent, to_rows};
}

/// Operands whose layouts often align.
Operands random_operands(Draw& draw) {
  Operands x;
  x.grid = {draw(1, 9), draw(1, 9)};
  const Index m = draw(1, 60), n = draw(1, 60), k = draw(1, 200);
  const bool a = draw(0, 3) > 0, b = draw(0, 3) > 0, c = draw(0, 3) > 0;  // not transposed, or transposed
  x.a_rows = random_slice(draw, x.grid, m, a), x.a_cols = random_slice(draw, x.grid, k, !a);
  x.b_rows = random_slice(draw, x.grid, k, b), x.b_cols = random_slice(draw, x.grid, n, !b);
  x.c_rows = random_slice(draw, x.grid, m, c), x.c_cols = random_slice(draw, x.grid, n, !c);
  if (a == c && draw.coin()) x.c_rows = x.a_rows;
  if (b == c && draw.coin()) x.c_cols = x.b_cols;
  x.on_gpus = draw(0, 2) == 0;
  x.type = draw.coin() ? Type::fp64 : Type::fp32;
  return x;
}

/// Whether the plan of `explain` has the right workspace and traffic and the longest panels that fit, and
/// whether a refusal is justified.
bool is_right(unsigned seed, std::string_view fault) {
  Draw draw(seed);
  const Operands x = random_operands(draw);
  Options options;
  options.layers = x.on_gpus ? draw(0, 1) : draw(0, x.grid.size());
  options.depth = draw.coin() ? 0 : draw(1, 60);
  options.workspace = static_cast<std::size_t>(draw(3000, 60000));
  const auto divided = [&](const Plan& plan) {
    return Straightforward{x, division_of(plan, x.c_rows, x.c_cols, x.a_cols)};
  };
  Plan plan;
  try {
    plan = explain(x, options);
  } catch (const Error& error) {
    if (options.layers > 1) return true;  // the refused plan's grid is unknown
    plan.grid = plan.layer_grid = x.grid, plan.shape = {x.c_rows.extent, x.c_cols.extent, x.a_cols.extent};
    return divided(plan).workspace(1) > options.workspace;
  }
  if (plan.in_place) return x.grid.size() == 1;
  const Straightforward product = divided(plan);
  const double moved = product.bytes_moved() + (fault == "moved" ? 1 : 0);
  const std::size_t workspace = product.workspace(plan.depth) + (fault == "workspace" ? 1 : 0);
  if (plan.workspace != workspace || plan.workspace > options.workspace || plan.bytes_moved != moved) {
    return false;
  }
  if (plan.layers > 1) return true;  // their panels are whole blocks, so longer ones might fit
  // All panels except the last have equal length. One panel fewer would need longer panels than fit.
  const Index max_depth = options.depth > 0 ? options.depth : x.on_gpus ? usual_depth_on_gpus : usual_depth;
  Index longest = std::min(max_depth, plan.shape.k);
  while (product.workspace(longest) > options.workspace) --longest;
  if (fault == "depth") longest = longest / 2;
  const Index panels = (plan.shape.k + longest - 1) / longest, even = (plan.shape.k + panels - 1) / panels;
  const Index lines = even < 128 || !x.on_gpus ? even : std::min((even + 127) / 128 * 128, longest);
  return plan.depth == lines;
}

/// Prints the fastest planning time in milliseconds on 128x128 processes.
void print_time(Index extent, Index block, int layers) {
  const DistributedMatrix<double> X(block_cyclic(extent, extent, block, block), {});
  const Operands x{{128, 128}, X.rows, X.cols, X.rows, X.cols, X.rows, X.cols};
  const auto milliseconds = [](const auto& call) {
    double fastest = 0;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      call();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      fastest = i == 0 ? took.count() : std::min(fastest, took.count());
    }
    return fastest;
  };
  const Options options{.workspace = std::size_t{8} << 30, .layers = layers};
  const double planned = milliseconds([&] { static_cast<void>(plan_product(x, options)); });
  const double explained = milliseconds([&] { static_cast<void>(explain(x, options)); });
  std::printf("| %lld | %lld | %d | %.2f | %.2f |\n", static_cast<long long>(extent),
              static_cast<long long>(block), explain(x, options).layers, planned, explained);
}

}  // namespace

}  // namespace rooftile::distributed::test

/// plans COUNT [SEED [FAULT]]: with one of the faults `moved`, `workspace` and `depth` the program must find
/// an error. `plans times` prints planning times on 16,384 processes.
int main(int argc, char** argv) {
  using namespace rooftile::distributed::test;
  const std::string_view what = argv[1], fault = argc > 3 ? argv[3] : "";
  if (what == "times") {
    std::printf(
        "| extents | block | layers | a product's plan, ms | explain, ms |\n| ---: | ---: | ---: | ---: | "
        "---: |\n");
    for (const long extent : {65536, 1000000}) {
      for (const int layers : {1, 4, 0}) print_time(extent, 64, layers);
    }
    return 0;
  }
  const int count = std::atoi(argv[1]);
  const unsigned first = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  int wrong = 0;
  for (unsigned seed = first; seed < first + static_cast<unsigned>(count); ++seed) {
    if (is_right(seed, fault)) continue;
    if (wrong++ == 0) std::printf("wrong: seed %u\n", seed);
  }
  std::printf("%d plans, %d wrong\n", count, wrong);
  return (wrong > 0) == fault.empty() ? 1 : 0;
}
