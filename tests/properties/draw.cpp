// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "draw.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace rooftile::testing {
namespace {

/// Elements that fit the memory of any operand.
double room(const Limits& limits, ComputeMode math) {
  const Mode& mode = mode_of(math);
  return static_cast<double>(limits.bytes / std::max(size_of(mode.element), size_of(mode.result)));
}

/// Random choices from one generator.
class Dice {
 public:
  explicit Dice(const rc::Random& random) : random_(random) {}

  Index between(Index low, Index high) {
    return high <= low
               ? low
               : low + static_cast<Index>(random_.next() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// A random size. Its logarithm is uniformly distributed.
  Index log_between(Index low, Index high) {
    if (high <= low) return low;
    const double from = std::log2(static_cast<double>(low)), to = std::log2(static_cast<double>(high) + 1);
    const double at = from + (to - from) * static_cast<double>(between(0, 1 << 30)) / (1 << 30);
    return std::clamp(static_cast<Index>(std::exp2(at)), low, high);
  }
  bool percent(Index share) { return between(1, 100) <= share; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<Index>(values.size()) - 1)];
  }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(between(0, static_cast<Index>(values.size()) - 1))];
  }

 private:
  rc::Random random_;
};

/// Draws one case.
class Draw {
 public:
  Draw(const rc::Random& random, const std::vector<KernelName>& kernels, const Limits& limits)
      : dice_(random), kernels_(kernels), limits_(limits), kernel_(drawn_kernel()), tile_(drawn_tile()) {}

  Case operator()(const std::string& path, const std::optional<Cell>& cell) {
    Case c;
    c.path = path, c.kernel = kernel_.kernel, c.tile = kernel_.tile, c.math = kernel_.math;
    c.seed = static_cast<std::uint64_t>(dice_.between(1, 1'000'000));
    draw_sizes(c);
    if (dice_.percent(2)) *dice_.one_of({&c.shape.m, &c.shape.n, &c.shape.k, &c.count}) = 0;
    c.a = placing(), c.b = placing(), c.c = placing();
    if (c.count != 1) c.a.shared = dice_.percent(25), c.b.shared = dice_.percent(25);
    if (c.count > 3 && dice_.percent(40)) draw_dimensions(c);
    c.alpha = dice_.one_of({1.0, 1.0, 1.0, 1.0, -1.0, -1.0, 0.5, 2.0, 2.0, 0.0});
    c.beta = dice_.one_of({0.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.5, 2.0});
    if (is_complex(type_of(c.math))) {
      if (dice_.percent(50)) c.alpha.im = dice_.one_of({1.0, -1.0, 0.5});
      if (dice_.percent(30)) c.beta.im = dice_.one_of({1.0, -1.0, 0.5});
      for (Placing* p : {&c.a, &c.b, &c.c}) p->conjugated = dice_.percent(40);
    }
    if (mode_of(c.math).accumulator == Type::int32) {
      for (complex<double>* factor : {&c.alpha, &c.beta}) factor->re = factor->re == 0.5 ? 3 : factor->re;
    }
    c.nan = dice_.percent(75);
    if (c.beta == 0 && dice_.percent(25)) c.times = static_cast<int>(dice_.between(2, 3));
    if (dice_.percent(c.count != 1 ? 40 : 5)) {
      for (Placing* p : {&c.a, &c.b, &c.c}) p->pointers = dice_.percent(70);
    }
    if (kernel_.kernel == "automatic" && c.count != 1 && dice_.percent(30)) make_group(c);
    if (cell) put_into(*cell, c);
    while (too_large(c)) halve(c);
    return c;
  }

 private:
  KernelName drawn_kernel() {
    if (dice_.percent(80)) return dice_.one_of(kernels_);
    std::vector<KernelName> automatic;
    std::copy_if(kernels_.begin(), kernels_.end(), std::back_inserter(automatic),
                 [](const KernelName& x) { return x.kernel == "automatic"; });
    return dice_.one_of(automatic.empty() ? kernels_ : automatic);
  }

  /// The kernel's own tile, mostly. Else a tile of another kernel, which an automatic choice may use.
  GemmShape drawn_tile() {
    if (kernel_.tile_shape != GemmShape{} && kernel_.tile_shape.m <= 256 && kernel_.tile_shape.n <= 256)
      return kernel_.tile_shape;
    if (kernel_.tile_shape != GemmShape{} && dice_.percent(30)) return kernel_.tile_shape;
    std::vector<GemmShape> tiles{{8, 64, 16}, {16, 16, 16}};
    for (const KernelName& other : kernels_) {
      if (other.math == kernel_.math && other.tile_shape != GemmShape{}) tiles.push_back(other.tile_shape);
    }
    return dice_.one_of(tiles);
  }

  /// An extent near a multiple of the tile.
  Index around(Index tile, Index tiles) {
    const Index extent = tile * tiles;
    if (kernel_.fits == Fits::multiples_of_tile && dice_.percent(95)) return extent;
    const Index off =
        dice_.one_of({Index{0}, Index{0}, Index{1}, Index{-1}, dice_.between(-tile / 2, tile / 2)});
    return std::max<Index>(extent + off, 1);
  }

  /// A few elements, or a few tiles.
  Index few(Index tile) {
    if (kernel_.fits == Fits::multiples_of_tile || dice_.percent(60))
      return around(tile, dice_.between(1, 3));
    return dice_.between(1, 40);
  }

  Index short_k() {
    if (kernel_.fits == Fits::multiples_of_tile || dice_.percent(40)) return few(tile_.k);
    return dice_.between(1, 64);
  }

  void draw_sizes(Case& c) {
    auto& [m, n, k] = c.shape;
    const Index kind = dice_.between(1, 100);
    if (kernel_.fits == Fits::one_block) {
      m = dice_.between(1, 32), n = dice_.between(1, 32), k = dice_.log_between(1, 1000);
    } else if (kernel_.fits == Fits::one_tile) {
      m = dice_.between(1, tile_.m), n = dice_.between(1, tile_.n), k = short_k();
      if (dice_.percent(90)) c.count = dice_.log_between(2, limits_.max_entries);
    } else if (kind <= 35) {  // short K, many tiles: each thread block gets several
      k = short_k();
      const double elements =
          std::min(limits_.multiply_adds / static_cast<double>(k), room(limits_, c.math) / 2);
      const auto most = static_cast<Index>(elements / static_cast<double>(tile_.m * tile_.n));
      const Index tiles = dice_.percent(50) ? dice_.log_between(1, most) : dice_.between(most / 4, most);
      const Index down = dice_.log_between(1, tiles);
      m = around(tile_.m, down), n = around(tile_.n, std::max<Index>(tiles / down, 1));
    } else if (kind <= 55) {  // long K, few tiles: tiles are split along K
      m = few(tile_.m), n = few(tile_.n);
      const auto most = static_cast<Index>(limits_.multiply_adds / static_cast<double>(m * n));
      const Index longest = std::min(limits_.longest_k, most);
      k = around(tile_.k, dice_.log_between(1, std::max<Index>(longest / tile_.k, 1)));
    } else if (kind <= 80) {
      for (auto [extent, tile] : {std::pair(&m, tile_.m), {&n, tile_.n}, {&k, tile_.k}})
        *extent = dice_.percent(30) ? dice_.log_between(1, 3000) : around(tile, dice_.log_between(1, 12));
      if (dice_.percent(10)) c.count = dice_.between(2, 5);
    } else {
      m = few(tile_.m), n = few(tile_.n), k = short_k();
      c.count = dice_.log_between(2, limits_.max_entries);
    }
  }

  Placing placing() {
    Placing p;
    if (dice_.percent(80))
      p.storage = dice_.one_of({Storage::row, Storage::row, Storage::column});
    else
      p.storage = static_cast<Storage>(dice_.between(0, std::ssize(storage_names) - 1));
    if (dice_.percent(40)) p.pad = dice_.one_of({Index{1}, Index{8}, Index{16}, dice_.between(1, 40)});
    if (dice_.percent(40)) p.shift = dice_.between(0, 15);
    if (dice_.percent(40)) p.gap = dice_.one_of({p.pad, Index{8}, dice_.between(1, 100)});
    p.behind = dice_.percent(30);
    return p;
  }

  /// Draws two batch dimensions. Either may be the longer one.
  void draw_dimensions(Case& c) {
    const Index shorter = dice_.log_between(2, std::max<Index>(c.count / 2, 2)), longer = c.count / shorter;
    c.inner = dice_.percent(50) ? shorter : longer;
    c.count = shorter * longer;
    for (Placing* p : {&c.a, &c.b, &c.c}) {
      p->crossed = dice_.percent(25), p->woven = dice_.percent(25);
      if (p != &c.c) p->shared_inner = dice_.percent(25), p->shared_outer = dice_.percent(25);
    }
  }

  /// Limits the number of products, because each is compared separately.
  static void make_group(Case& c) {
    c.group = true;
    c.count = std::min<Index>(c.count, 200), c.inner = 0;
    for (Placing* p : {&c.a, &c.b, &c.c}) p->pointers = false;
  }

  void put_into(const Cell& cell, Case& c) {
    for (Index* extent : {&c.shape.m, &c.shape.n, &c.shape.k}) *extent = std::max<Index>(*extent, 2);
    if (c.alpha == 0) c.alpha = 1;
    c.c.storage =
        cell.c == Layout::row ? Storage::row
        : cell.c == Layout::column
            ? Storage::column
            : dice_.one_of({Storage::strided, Storage::strided_column, Storage::reversed, Storage::mirrored});
    apply(cell.a, c.a, c.c), apply(cell.b, c.b, c.c);
    c.inner = 0, c.group = false;
    for (Placing* p : {&c.a, &c.b, &c.c})
      p->shared_inner = p->shared_outer = p->crossed = p->woven = p->pointers = false;
    if (cell.batch == BatchKind::none)
      c.count = 1, c.a.shared = c.b.shared = false;
    else if (c.count < 4)
      c.count = dice_.log_between(4, 100);
    if (cell.batch == BatchKind::nested) draw_dimensions(c);
    if (cell.batch == BatchKind::group) make_group(c);
    if (cell.batch == BatchKind::pointers) {
      for (Placing* p : {&c.a, &c.b, &c.c}) p->pointers = dice_.percent(70);
      dice_.one_of({&c.a, &c.b, &c.c})->pointers = true;
    }
  }

  static void apply(Operation operation, Placing& operand, const Placing& result) {
    const bool transposed = operation == Operation::T || operation == Operation::C;
    if ((is_by_rows(operand.storage) != is_by_rows(result.storage)) != transposed)
      operand.storage = turned(operand.storage);
    operand.conjugated = operation == Operation::C || operation == Operation::conj;
  }

  static Storage turned(Storage storage) {
    switch (storage) {
      case Storage::column:
        return Storage::row;
      case Storage::strided:
        return Storage::strided_column;
      case Storage::strided_column:
        return Storage::strided;
      default:
        return Storage::column;
    }
  }

  bool too_large(const Case& c) const {
    const auto [m, n, k] = c.shape;
    const double calls = static_cast<double>(c.count * c.times);
    const auto elements = [&](Index rows, Index cols, const Placing& p) {
      return static_cast<double>(Arrangement(p, rows, cols, c.count, c.inner).reach) + 1000;
    };
    const double most = room(limits_, c.math);
    return calls * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k + 8) *
                   real_multiply_adds(type_of(c.math)) >
               limits_.multiply_adds ||
           elements(m, k, c.a) > most || elements(k, n, c.b) > most || elements(m, n, c.c) > most;
  }

  /// Halves the largest extent, by whole tiles if it has several.
  void halve(Case& c) const {
    std::pair<Index*, Index> extents[] = {
        {&c.shape.m, tile_.m}, {&c.shape.n, tile_.n}, {&c.shape.k, tile_.k}, {&c.count, 1}};
    const auto& [extent, tile] = *std::max_element(std::begin(extents), std::end(extents),
                                                   [](auto& x, auto& y) { return *x.first < *y.first; });
    const Index tiles = *extent / tile;
    *extent = tiles > 1 ? tiles / 2 * tile + *extent % tile : *extent / 2;
    if (c.inner > 0 && c.count % c.inner != 0) c.inner = 0;
  }

  Dice dice_;
  const std::vector<KernelName>& kernels_;
  const Limits& limits_;
  KernelName kernel_;
  GemmShape tile_;
};

}  // namespace

std::vector<Case> smaller(const Case& c) {
  std::vector<Case> cases;
  const auto with = [&](const auto& change) {
    Case other = c;
    change(other);
    if (other.inner > 0 && other.count % other.inner != 0) other.inner = 0;
    if (other != c) cases.push_back(other);
  };
  const auto reduce = [&](auto extent) {
    const Index now = extent(c);
    for (const Index less : {Index{1}, now / 8, now / 2, now - now / 4, now - 16, now - 1}) {
      if (less >= 1 && less < now) with([&](Case& x) { extent(x) = less; });
    }
  };
  with([](Case& x) { x.inner = 0; });
  with([](Case& x) { x.group = false; });
  reduce([](auto& x) -> auto& { return x.count; });
  reduce([](auto& x) -> auto& { return x.shape.k; });
  reduce([](auto& x) -> auto& { return x.shape.m; });
  reduce([](auto& x) -> auto& { return x.shape.n; });
  for (Placing Case::*operand : {&Case::a, &Case::b, &Case::c}) {
    with([&](Case& x) { x.*operand = {}; });
    with([&](Case& x) { (x.*operand).storage = Storage::row; });
    with([&](Case& x) { (x.*operand).pad = 0; });
    with([&](Case& x) { (x.*operand).shift = 0; });
    with([&](Case& x) { (x.*operand).gap = 0; });
    with([&](Case& x) { (x.*operand).shared = false; });
    with([&](Case& x) { (x.*operand).behind = false; });
    with([&](Case& x) { (x.*operand).conjugated = false; });
    with([&](Case& x) { (x.*operand).pointers = false; });
    with([&](Case& x) { (x.*operand).shared_inner = (x.*operand).shared_outer = false; });
    with([&](Case& x) { (x.*operand).crossed = (x.*operand).woven = false; });
  }
  with([](Case& x) { x.times = 1; });
  with([](Case& x) { x.alpha.im = x.beta.im = 0; });
  with([](Case& x) { x.alpha = 1; });
  with([](Case& x) { x.beta = 0; });
  with([](Case& x) { x.nan = false; });
  return cases;
}

rc::Gen<Case> cases_of(const std::string& path, const std::vector<KernelName>& all, const Limits& limits,
                       const std::optional<Cell>& cell) {
  std::vector<KernelName> kernels;
  std::copy_if(all.begin(), all.end(), std::back_inserter(kernels),
               [&](const KernelName& x) { return !cell || may_be_in(*cell, x); });
  return [=](const rc::Random& random, int) {
    return rc::shrinkable::shrinkRecur(Draw(random, kernels, limits)(path, cell),
                                       [](const Case& c) { return rc::seq::fromContainer(smaller(c)); });
  };
}

}  // namespace rooftile::testing
