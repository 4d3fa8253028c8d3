// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// Tests every kernel of one path and backend on groups of products of any shapes.
#include <deque>
#include <random>
#include <string>

#include <catch2/catch_template_test_macros.hpp>

#include "product.hpp"
#include "this_ladder.hpp"

namespace rooftile::testing {
namespace {

/// The problems of a group, with operands on a device.
template <class T>
class Group {
 public:
  Group(Device& device, ComputeMode math) : device_(&device), math_(math) {}

  void add(const Problem<T>& problem) {
    const Known<T>& values = values_.emplace_back(problem, math_, values_.size());
    products_.push_back(posed_.emplace_back(*device_, problem, values).args());
    problems_.push_back(problem);
  }
  std::vector<GemmArgs<T>>& products() { return products_; }

  void launch(const GemmOptions& options) {
    device_->gemm(std::span<const GemmArgs<T>>(products_), options);
    device_->wait();
  }

  /// Describes the first wrong product; empty if all products are right.
  std::string wrong() {
    for (std::size_t i = 0; i < posed_.size(); ++i) {
      const std::string text = posed_[i].wrong(values_[i].product());
      if (text.empty()) continue;
      std::ostringstream out;
      out << "product " << i << ", " << problems_[i] << ": " << text;
      return out.str();
    }
    return {};
  }

  bool untouched() {
    return std::all_of(posed_.begin(), posed_.end(), [](Posed<T>& one) { return one.untouched(); });
  }

 private:
  Device* device_;
  ComputeMode math_;
  std::deque<Known<T>> values_;
  std::deque<Posed<T>> posed_;
  std::vector<GemmArgs<T>> products_;
  std::vector<Problem<T>> problems_;
};

template <class T>
class Draw {
 public:
  explicit Draw(unsigned seed) : bits_(seed) {}

  Index from(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(bits_); }

  /// Draws a problem of any layout in small integers. @param most  the largest extent
  Problem<T> problem(Index most) {
    constexpr Storage storages[] = {Storage::row,      Storage::column,
                                    Storage::strided,  Storage::strided_column,
                                    Storage::reversed, Storage::mirrored};
    const auto storage = [&] { return storages[from(0, 5)]; };
    const auto extent = [&] { return from(0, 9) == 0 ? from(0, 1) : from(1, most); };
    Problem<T> drawn{{extent(), extent(), extent()}, storage(), storage(), storage()};
    drawn.alpha = static_cast<Scalar<T>>(static_cast<float>(from(-1, 2)));
    drawn.beta = static_cast<Scalar<T>>(static_cast<float>(from(-1, 2)));
    drawn.integers = true, drawn.pad = from(0, 8), drawn.shift = from(0, 3);
    if constexpr (is_complex(type_of<T>())) {
      for (bool& conjugated : drawn.conjugated) conjugated = from(0, 1) == 1;
    }
    return drawn;
  }

 private:
  std::mt19937 bits_;
};

TEMPLATE_LIST_TEST_CASE("groups of random products are exact", "[grouped]", Types) {
  for (const auto& kernel : kernels<TestType>()) {
    INFO(kernel.kernel << ' ' << kernel.tile << ' ' << to_string(kernel.math));
    Draw<TestType> draw(20261124);
    for (const Index most : {8, 40, 150}) {
      Group<TestType> group(*kernel.device, kernel.math);
      while (group.products().size() < 30) {
        const Problem<TestType> problem = draw.problem(most);
        group.add(problem);
        if (!kernel.refusal(group.products().back()).empty() && problem.shape.m * problem.shape.n > 0) {
          CHECK_THROWS_AS(group.launch(kernel.options), Error);
          CHECK(group.untouched());
          break;  // the kernel does not take all products
        }
      }
      if (group.products().size() < 30) continue;
      group.launch(kernel.options);
      CHECK(group.wrong() == "");
    }
  }
}

/// The group is so diverse that CPUs compute some products with one thread each and others with all threads.
TEMPLATE_LIST_TEST_CASE("groups of small and large products are exact", "[grouped]", Types) {
  const auto all = kernels<TestType>();
  const auto& automatic = all.back();
  Draw<TestType> draw(7);
  Group<TestType> group(*automatic.device, automatic.math);
  for (const GemmShape shape : {GemmShape{700, 300, 500}, {2, 900, 900}, {900, 1, 700}, {3, 3, 30000}})
    group.add({shape, {}, {}, {}, 1, 1, true});
  for (int i = 0; i < 200; ++i) group.add(draw.problem(20));
  for (int i = 0; i < 20; ++i) group.add(draw.problem(200));
  for (int i = 0; i < 4; ++i) group.add({{260, 180, 170}, {}, Storage::column, {}, 1, 0, true});
  group.launch(automatic.options);
  CHECK(group.wrong() == "");
}

/// The group has more products than a grid has layers, and many times as many as one launch can describe.
TEMPLATE_LIST_TEST_CASE("groups of very many products are exact", "[grouped]", Types) {
  using T = TestType;
  const auto all = kernels<T>();
  const Index m = 2, n = 3, k = 5, count = 70001;
  Device& here = *all.back().device;
  const auto elements = static_cast<std::size_t>(count * m * n);
  Buffer<T> a(here, m * k), b(here, k * n), c(here, elements);
  a.upload(std::vector<T>(m * k, T(1.0F))), b.upload(std::vector<T>(k * n, T(2.0F)));
  c.upload(std::vector<T>(elements, T(-1.0F)));
  std::vector<GemmArgs<T>> group;
  for (Index i = 0; i < count; ++i)
    group.push_back({Scalar<T>(static_cast<float>(i % 7)), row_major<const T>(a.data(), m, k),
                     row_major<const T>(b.data(), k, n), Scalar<T>(0),
                     row_major(c.data() + i * m * n, m, n)});
  here.gemm(std::span<const GemmArgs<T>>(group), all.back().options);
  here.wait();
  std::vector<T> found(elements);
  c.download(found);
  Index wrong = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    const auto product = static_cast<Index>(i) / (m * n);
    wrong += found[i] == T(static_cast<float>(10 * (product % 7))) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEMPLATE_LIST_TEST_CASE("groups of none and of empty products do nothing", "[grouped]", Types) {
  const auto all = kernels<TestType>();
  const auto& automatic = all.back();
  Group<TestType> group(*automatic.device, automatic.math);
  group.launch(automatic.options);
  for (const GemmShape shape : {GemmShape{0, 5, 7}, {5, 0, 7}, {0, 0, 0}})
    group.add({shape, {}, {}, {}, 1, 0, true});
  group.launch(automatic.options);
  group.add({{5, 6, 0}, {}, {}, {}, 1, 2, true});
  group.launch(automatic.options);
  CHECK(group.wrong() == "");
}

TEST_CASE("a group that is wrong in one product is found out", "[grouped][checker]") {
  const auto all = kernels<float>();
  const auto& automatic = all.back();
  const auto run = [&](const auto& spoil) {
    Group<float> group(*automatic.device, automatic.math);
    for (int i = 0; i < 6; ++i) group.add({{9, 8, 7}, {}, {}, {}, 1, 0, true});
    spoil(group.products());
    group.launch(automatic.options);
    return group.wrong();
  };
  CHECK(run([](auto&) {}) == "");
  CHECK(run([](auto& products) { products.pop_back(); }) != "");
  CHECK(run([](auto& products) { products[2].A = products[3].A; }) != "");
  CHECK(run([](auto& products) { std::swap(products[0].C, products[5].C); }) != "");
}

}  // namespace
}  // namespace rooftile::testing
