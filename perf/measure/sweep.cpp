// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "sweep.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include <fmt/format.h>

#include "../interrupt.hpp"
#include "../selection.hpp"
#include "numerics/reference.hpp"
#include "plan/plan.hpp"
#include "rooftile/find_kernel.hpp"
#include "sampler.hpp"

namespace rooftile::perf {
namespace {

/// The arguments of a product whose operands begin at these addresses (element (0,0) of the first matrix).
template <class T>
BatchArgs<T> args_at(const Product& product, const In<T>* a, const In<T>* b, Out<T>* c) {
  const OperandLayouts places = dense_places<T>(product.shape, product.lies(), product.batch, false);
  return {{static_cast<Scalar<T>>(product.alpha), places.a.matrix<const In<T>>(a),
           places.b.matrix<const In<T>>(b), static_cast<Scalar<T>>(product.beta), places.c.matrix<Out<T>>(c)},
          {product.batch, places.a.every, places.b.every, places.c.every}};
}

/// A block of C that is verified: 2 rows (column-major: columns) of 16 elements each.
template <class T>
class CheckedBlock {
 public:
  /// @param host  the operands in host memory; C is not read
  CheckedBlock(const BatchArgs<T>& host, const BatchArgs<T>& device, Index product, double place,
               ComputeMode math) {
    const auto& [alpha, A, B, beta, C] = host.product(product);
    const MatrixRef<Out<T>> on_device = device.product(product).C;
    by_rows_ = on_device.col_stride == 1;
    const Index rows = std::min<Index>(C.rows, by_rows_ ? 2 : 16);
    const Index cols = std::min<Index>(C.cols, by_rows_ ? 16 : 2);
    const auto at = [place](Index extent, Index width) {
      return static_cast<Index>(place * static_cast<double>(extent - width));
    };
    const Index row = at(C.rows, rows), col = at(C.cols, cols);
    on_device_ = on_device.block(row, col, rows, cols);
    const Out<T> unwritten(static_cast<Real<Out<T>>>(std::numeric_limits<float>::quiet_NaN()));
    const Out<T> given(static_cast<Real<Out<T>>>(0.5f));
    before_.assign(static_cast<std::size_t>(rows * cols), beta == Scalar<T>(0) ? unwritten : given);
    found_ = before_;
    const GemmArgs<T> args{alpha, A.block(row, 0, rows, A.cols), B.block(0, col, B.rows, cols), beta,
                           view(before_)};
    std::vector<Index> all;
    for (Index i = 0; i < rows; ++i) all.push_back(i);
    reference_ = std::make_unique<Reference<T>>(args, all, math);
  }

  void reset(Device& device) {
    for_each_line([&](std::size_t at, Out<T>* memory, std::size_t bytes) {
      device.upload(memory, before_.data() + at, bytes);
    });
  }

  bool is_right(Device& device) {
    for_each_line([&](std::size_t at, Out<T>* memory, std::size_t bytes) {
      device.download(found_.data() + at, memory, bytes);
    });
    return reference_->compare(view(found_)).passed();
  }

 private:
  MatrixRef<Out<T>> view(std::vector<Out<T>>& values) const {
    const auto [rows, cols] = std::pair(on_device_.rows, on_device_.cols);
    return {values.data(), rows, cols, by_rows_ ? cols : 1, by_rows_ ? 1 : rows};
  }

  template <class F>
  void for_each_line(const F& f) {
    const Index lines = by_rows_ ? on_device_.rows : on_device_.cols;
    const Index length = by_rows_ ? on_device_.cols : on_device_.rows;
    const Index apart = by_rows_ ? on_device_.row_stride : on_device_.col_stride;
    for (Index i = 0; i < lines; ++i) {
      f(static_cast<std::size_t>(i * length), on_device_.data + i * apart,
        static_cast<std::size_t>(length) * sizeof(Out<T>));
    }
  }

  MatrixRef<Out<T>> on_device_;
  bool by_rows_ = true;
  std::vector<Out<T>> before_, found_;
  std::unique_ptr<Reference<T>> reference_;
};

/// Operands of one type, large enough for every product.
template <class T>
struct SweepMemory {
  SweepMemory(Device& device, const std::vector<Product>& products)
      : a(elements(products, [](const OperandLayouts& x) { return x.a.elements; })),
        b(elements(products, [](const OperandLayouts& x) { return x.b.elements; })),
        device_a(device, a.size()),
        device_b(device, b.size()),
        device_c(device, elements(products, [](const OperandLayouts& x) { return x.c.elements; })) {
    fill(a, 1), fill(b, 2);
    device_a.upload(a), device_b.upload(b);
  }

  void reset(Device& device, const Product& product) {
    if (product.beta == 0) return;
    const OperandLayouts places = dense_places<T>(product.shape, product.lies(), product.batch, false);
    std::size_t left = places.c.elements, at = 0;
    while (left > 0) {
      const std::size_t part = std::min(left, a.size());
      device.upload(device_c.data() + at, a.data(), part * sizeof(Out<T>));
      at += part, left -= part;
    }
  }

  std::vector<In<T>> a, b;
  Buffer<In<T>> device_a, device_b;
  Buffer<Out<T>> device_c;

 private:
  template <class F>
  static std::size_t elements(const std::vector<Product>& products, const F& of) {
    std::size_t most = 1;
    for (const Product& p : products)
      most = std::max(most, of(dense_places<T>(p.shape, p.lies(), p.batch, false)));
    return most;
  }

  /// Random numbers in [-1, 1), with a prime number of elements as the period.
  static void fill(std::vector<In<T>>& x, std::uint64_t seed) {
    constexpr std::size_t period = 1048573;
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::size_t i = 0; i < std::min(period, x.size()); ++i)
      x[i] = detail::from_parts<In<T>>([&] { return uniform(bits); });
    for (std::size_t i = period; i < x.size(); ++i) x[i] = x[i - period];
  }
};

class Sweeper {
 public:
  Sweeper(Machine& machine, Device& device, const SweepOptions& options,
          const std::function<void(const std::string&)>& progress,
          const std::function<void(const std::string&)>& failed)
      : machine_(machine), device_(device), options_(options), progress_(progress), failed_(failed) {
    sweep_.device = device.tuning_name;
  }

  Sweep run() {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<Product>& products = options_.products;
    detail::ForEach<SweepMemories, Elements>::type memories;
    Index number = 0;
    for (const Product& product : products) {
      ++number;
      for (const Target& target : device_.targets) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        if (Interrupts::noted() != 0 || spent.count() > options_.seconds) return sweep_;
        if (!wanted(target)) continue;
        for_each_element([&]<class T>() {
          if (type_of<T>() != target.type()) return;
          auto& memory = std::get<SweepMemories<T>>(memories);
          if (!memory) memory = std::make_unique<SweepMemory<T>>(device_, products);
          progress_(fmt::format("product {} of {}, {}", number, products.size(), to_string(target.math)));
          sweep_.products.push_back(measured<T>(target, product, *memory));
        });
      }
    }
    if (sweep_.products.empty())
      throw Error("nothing to measure here (the options leave no mode): ask for less");
    return sweep_;
  }

 private:
  template <class T>
  using SweepMemories = std::unique_ptr<SweepMemory<T>>;

  bool wanted(const Target& target) const {
    return !is_measured_if_named(target.math) && !is_mixed(target.math) &&
           contains(options_.maths, to_string(target.math)) &&
           contains(options_.paths, to_string(target.path));
  }

  /// The way of a candidate that the planner can choose: kernels with panels, TMA kernels and kernels for
  /// small products. Empty for other candidates.
  template <class T>
  SweepWay way_of(const Candidate<T>& c, const Target& target) const {
    if (c.device != &device_ || c.math != target.math || c.path != to_string(target.path) || c.chosen)
      return {};
    const NamedKernel named = find_named(c.kernel);
    const Rung& rung = rung_of(named.kernel);
    if (!rung.has_panels() && !rung.tma && rung.block_threads == 0 && rung.tiles_taken == Tiles::listed)
      return {};
    for (const TileShape tile : detail::built_tiles(rung, target)) {
      if (to_string(tile) == c.tile) return {named.kernel, named.repack, tile};
    }
    return {};
  }

  template <class T>
  SweptProduct measured(const Target& target, const Product& product, SweepMemory<T>& memory) {
    SweptProduct swept{target.path, target.math, product, {}};
    const BatchArgs<T> args =
        args_at<T>(product, memory.device_a.data(), memory.device_b.data(), memory.device_c.data());
    const BatchArgs<T> host = args_at<T>(product, memory.a.data(), memory.b.data(), nullptr);
    const GemmDesc desc = rooftile::describe(detail::prepared(args));
    std::vector<CheckedBlock<T>> blocks;
    for (const double place : {0.0, 0.5, 1.0}) {
      const auto last = static_cast<double>(product.batch - 1);
      blocks.emplace_back(host, args, static_cast<Index>(place * last), place, target.math);
    }
    memory.reset(device_, product);
    double best = std::numeric_limits<double>::infinity();
    for (const Candidate<T>& c : machine_.candidates<T>()) {
      const SweepWay way = way_of(c, target);
      if (!way.tile || !c.refusal(args).empty()) continue;
      const GemmPlan planned = plan(
          desc, {.kernel = way.kernel, .tile = way.tile, .math = target.math, .repack = way.repack}, target);
      if (way.repack && !planned.repack) continue;  // the plan does not repack
      const double seconds = seconds_of_way(c, args, blocks, best);
      if (!(seconds > 0)) {
        failed_(fmt::format("{} {} {} {}", to_string(target.math), to_string(product), c.kernel, c.tile));
        continue;
      }
      best = std::min(best, seconds);
      swept.times.push_back({sweep_.index_of(way), planned.split_k, planned.swapped, 1e6 * seconds});
    }
    return swept;
  }

  /// @return 0 for a wrong result. Kernels far slower than `best` get fewer samples.
  template <class T>
  double seconds_of_way(const Candidate<T>& c, const BatchArgs<T>& args, std::vector<CheckedBlock<T>>& blocks,
                        double best) {
    constexpr double far = 3;
    const std::function<void()> call = c.call(args);
    for (auto& block : blocks) block.reset(device_);
    const double first = device_.seconds(call);
    const bool right =
        std::all_of(blocks.begin(), blocks.end(), [&](auto& block) { return block.is_right(device_); });
    if (!right) return 0;
    if (first > far * best && first > 1e-3) return first;
    std::vector<double> samples;
    Index runs = 1;
    const std::size_t wanted = first > 2e-3 ? 2 : 3;
    while (samples.size() < wanted) {
      samples.push_back(seconds_of(device_, call, runs, options_.cold));
      if (samples.back() > far * best) break;
    }
    return summarise(samples).median;
  }

  Machine& machine_;
  Device& device_;
  const SweepOptions& options_;
  const std::function<void(const std::string&)>& progress_;
  const std::function<void(const std::string&)>& failed_;
  Sweep sweep_;
};

}  // namespace

std::vector<Product> sweep_products(Index count, std::uint64_t seed) {
  std::mt19937_64 bits(~seed);
  const auto draw_to = [&](Index most) {
    return static_cast<Index>(bits() % static_cast<std::uint64_t>(most));
  };
  const auto one_in = [&](Index n) { return draw_to(n) == 0; };
  const std::vector<GemmShape> large = draw({count, 16, 8192, seed}), small = draw({count, 2, 256, seed + 1});
  std::vector<Product> products;
  for (std::size_t i = 0; i < large.size(); ++i) {
    Product product{.shape = large[i]};
    const bool is_batch = one_in(5);
    if (is_batch) product.shape = small[i];
    auto& [m, n, k] = product.shape;
    if (one_in(2)) m = (m + 7) / 8 * 8, n = (n + 7) / 8 * 8, k = (k + 7) / 8 * 8;
    for (char& letter : product.layout) letter = one_in(2) ? 'c' : 'r';
    if (is_batch) {
      const double most = std::clamp(4e9 / (0.5 * product.shape.flops()), 2.0, 20000.0);
      product.batch = static_cast<Index>(
          std::exp2(1 + static_cast<double>(draw_to(1000)) / 1000 * (std::log2(most) - 1)));
    }
    if (one_in(4)) {
      product.alpha = -1, product.beta = 1;
      product.padding = one_in(2) ? 8 * (1 + draw_to(16)) : 1 + draw_to(15);
    }
    if (one_in(8)) product.offset = 1 + draw_to(7);
    products.push_back(product);
  }
  return products;
}

GemmDesc describe(const Product& product, ComputeMode math) {
  GemmDesc desc;
  for_each_element([&]<class T>() {
    if (type_of<T>() != type_of(math)) return;
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<T*>(address); };
    constexpr std::uintptr_t apart = std::uintptr_t{1} << 42;
    desc = rooftile::describe(detail::prepared(args_at<T>(product, at(apart), at(2 * apart), at(3 * apart))));
  });
  return desc;
}

Sweep measured_sweep(Machine& machine, Device& device, const SweepOptions& options,
                     const std::function<void(const std::string&)>& progress,
                     const std::function<void(const std::string&)>& failed) {
  return Sweeper(machine, device, options, progress, failed).run();
}

Sweep measured_sweep(Machine& machine, Device& device, const SweepOptions& options, const Progress& progress,
                     int& wrong) {
  return measured_sweep(machine, device, options, std::ref(progress), [&](const std::string& what) {
    ++wrong;
    progress("");
    fmt::print(stderr, "rooftile: wrong result ({}): report this kernel\n", what);
  });
}

}  // namespace rooftile::perf
