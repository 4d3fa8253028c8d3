// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "../machine.hpp"
#include "host_memory.hpp"
#include "operand_layout.hpp"
#include "plan/batch_operands.hpp"
#include "rooftile/detail/batch_args.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {

enum class Values {
  uniform,   ///< random in [-1, 1); integers in [-128, 127]
  integers,  ///< random ±1 … ±3, limited by K so that sums are exact in fp32; alpha and beta 0 or 1
};

/// How the device gets the addresses of a batch: strides or an array of pointers.
enum class Places { at_distances, by_pointers };

/// The operands of one product or a batch of `count`, on the host and on a device. If C must be overwritten,
/// it holds NaN. The contents are undefined until `fill`.
template <class T>
class Operands {
 public:
  /// Consecutive matrices without gaps.
  Operands(Device& device, const GemmShape& shape, const Layout& layout, Scalar<T> alpha, Scalar<T> beta,
           std::uint64_t seed, Index count = 1, Places places = Places::at_distances)
      : Operands(device, {dense_places<T>(shape, layout, count, places == Places::by_pointers), count}, alpha,
                 beta, seed) {}

  /// Matrices with the layouts of a logged call.
  Operands(Device& device, const LoggedProduct& product, std::uint64_t seed)
      : Operands(device, {operand_layouts_of<T>(product), product.count, product.inner},
                 number_of<T>(product.alpha), number_of<T>(product.beta), seed) {}

  void fill(Values values) {
    values_ = values;
    fill(a_, 0);
    fill(b_, 1);
    if (beta_ != Scalar<T>(0)) {
      fill(c_, 2);
    } else {
      in_pieces(c_, [](std::size_t, std::span<Out<T>> piece) { std::ranges::fill(piece, unwritten()); });
    }
    device_a_.upload(a_);
    device_b_.upload(b_);
    fill_scales(scales_a_, device_scales_a_, 3);
    fill_scales(scales_b_, device_scales_b_, 4);
    if (before_) before_->upload(c_);
    result_.resize(c_.size());
  }

  BatchArgs<T> on_host() { return args(a_.data(), b_.data(), c_.data(), scales_a_.data(), scales_b_.data()); }
  BatchArgs<T> on_device() {
    const BatchArgs<T> at = device_args();
    return pointers_ ? pointers_->followed(at) : at;
  }

  /// Restores C to its value before the product.
  void reset() {
    if (before_) {
      device_c_.copy(*before_);
    } else {
      device_c_.upload(c_);
    }
  }

  /// Downloads C to host memory.
  BatchRef<const Out<T>> result() {
    device_c_.download(result_);
    const OperandLayout& c = places_.c;
    return {
        c.matrix<const Out<T>>(result_.data()), c.every, count_, nullptr, alignof(Out<T>), inner_, c.outer};
  }

 private:
  struct Where {
    OperandLayouts places;
    Index count;
    Index inner = 0;  ///< inner count of a two-dimensional batch
  };

  Operands(Device& device, const Where& where, Scalar<T> alpha, Scalar<T> beta, std::uint64_t seed)
      : places_(available<T>(where.places)),
        count_(where.count),
        inner_(where.inner),
        alpha_(alpha),
        beta_(beta),
        seed_(seed),
        a_(places_.a.elements, HostAllocator<In<T>>(device)),
        b_(places_.b.elements, HostAllocator<In<T>>(device)),
        c_(places_.c.elements, HostAllocator<Out<T>>(device)),
        result_(HostAllocator<Out<T>>(device)),
        scales_a_(places_.a.scale_count(count_)),
        scales_b_(places_.b.scale_count(count_)),
        device_a_(device, places_.a),
        device_b_(device, places_.b),
        device_c_(device, places_.c) {
    if (!scales_a_.empty()) device_scales_a_.emplace(device, scales_a_.size());
    if (!scales_b_.empty()) device_scales_b_.emplace(device, scales_b_.size());
    if (is_gpu(device)) before_.emplace(device, places_.c);
    if (places_.a.pointers || places_.b.pointers || places_.c.pointers) {
      pointers_.emplace(device, device_args(), places_);
    }
  }

  /// The device addresses of an operand's matrices, and their common alignment.
  template <class U>
  struct Addresses {
    Buffer<U*> pointers;
    Index alignment = max_logged_alignment;  // no kernel requires more

    Addresses(Device& device, U* first, Index every, Index count)
        : pointers(device, static_cast<std::size_t>(count)) {
      std::vector<U*> each;
      for (Index i = 0; i < count; ++i) each.push_back(first + i * every);
      pointers.upload(each);
      for (U* const x : each) {
        while (reinterpret_cast<std::uintptr_t>(x) % static_cast<std::uintptr_t>(alignment) != 0)
          alignment /= 2;
      }
    }

    BatchRef<U> batch(const MatrixRef<U>& layout, Index count) const {
      return pointer_batch(pointers.data(), layout, count, alignment);
    }
  };

  struct Pointers {
    std::optional<Addresses<const In<T>>> a, b;
    std::optional<Addresses<Out<T>>> c;

    Pointers(Device& device, const BatchArgs<T>& at, const OperandLayouts& places) {
      const Batch& batch = at.batch;
      if (places.a.pointers) a.emplace(device, at.first.A.data, batch.stride_a, batch.count);
      if (places.b.pointers) b.emplace(device, at.first.B.data, batch.stride_b, batch.count);
      if (places.c.pointers) c.emplace(device, at.first.C.data, batch.stride_c, batch.count);
    }

    BatchArgs<T> followed(const BatchArgs<T>& at) const {
      const auto batch = [](const auto& addresses, const auto& given) {
        return addresses ? addresses->batch(given.first, given.count) : given;
      };
      const auto [A, B, C] = detail::operands_of(at);
      return detail::batch_args<T>(at.first.alpha, batch(a, A), batch(b, B), at.first.beta, batch(c, C));
    }
  };

  /// The value of C before it is overwritten: NaN if the type has one.
  static Out<T> unwritten() {
    using Limits = std::numeric_limits<Out<T>>;
    if constexpr (std::is_integral_v<Out<T>>) {
      return Limits::max();
    } else {
      return Limits::quiet_NaN();
    }
  }

  /// Fills an operand in pieces on all threads. Each piece has its own generator, so that values do not
  /// depend on the number of threads.
  /// @param number  index of the operand, part of the seed
  template <class E>
  void fill(HostVector<E>& operand, std::uint64_t number) const {
    in_pieces(operand, [&](std::size_t i, std::span<E> piece) {
      std::seed_seq seeds{seed_, seed_ >> 32, number, std::uint64_t{i}};
      std::mt19937_64 bits(seeds);
      fill(piece, bits);
    });
  }

  /// Calls `work(i, piece)` for each piece of an operand, on all threads.
  template <class E, class F>
  static void in_pieces(HostVector<E>& operand, const F& work) {
    constexpr std::size_t size = std::size_t{1} << 16;
    on_all_threads((operand.size() + size - 1) / size, [&](std::size_t i) {
      work(i, std::span(operand).subspan(i * size, std::min(size, operand.size() - i * size)));
    });
  }

  template <class E>
  void fill(std::span<E> operand, std::mt19937_64& bits) const {
    if (values_ == Values::integers) {
      const std::uint64_t most = places_.a.cols < (Index{1} << 24) / (9 * 2) ? 3 : 1;
      const auto draw = [&] {
        const std::uint64_t word = bits();
        const auto size = static_cast<float>(1 + (word >> 1) % most);
        return word % 2 == 0 ? size : -size;
      };
      for (E& x : operand) x = detail::from_parts<E>(draw);
    } else if constexpr (std::is_integral_v<E>) {
      std::uniform_int_distribution<int> uniform(-128, 127);
      for (E& x : operand) x = static_cast<E>(uniform(bits));
    } else {
      std::uniform_real_distribution<Real<Scalar<T>>> uniform(-1, 1);
      for (E& x : operand) x = detail::from_parts<E>([&] { return uniform(bits); });
    }
  }

  /// Fills scales: random numbers in [1/2, 2), or 1 and 2 if sums must be exact.
  void fill_scales(std::vector<float>& scales, std::optional<Buffer<float>>& on_device,
                   std::uint64_t number) const {
    if (scales.empty()) return;
    std::seed_seq seeds{seed_, seed_ >> 32, number};
    std::mt19937_64 bits(seeds);
    std::uniform_real_distribution<float> uniform(0.5F, 2);
    const bool exact = values_ == Values::integers;
    for (float& x : scales) x = exact ? static_cast<float>(1 + bits() % 2) : uniform(bits);
    on_device->upload(scales);
  }

  BatchArgs<T> device_args() const {
    const auto scales = [](const auto& buffer) { return buffer ? buffer->data() : nullptr; };
    return args(device_a_.data(), device_b_.data(), device_c_.data(), scales(device_scales_a_),
                scales(device_scales_b_));
  }

  BatchArgs<T> args(const In<T>* a, const In<T>* b, Out<T>* c, const float* scales_a,
                    const float* scales_b) const {
    const auto scalar = [this](Scalar<T> x) {
      return values_ == Values::integers && x != Scalar<T>(0) ? Scalar<T>(1) : x;
    };
    return {{scalar(alpha_), places_.a.template matrix<const In<T>>(a, scales_a),
             places_.b.template matrix<const In<T>>(b, scales_b), scalar(beta_),
             places_.c.template matrix<Out<T>>(c)},
            {count_, places_.a.every, places_.b.every, places_.c.every, inner_, places_.a.outer,
             places_.b.outer, places_.c.outer}};
  }

  OperandLayouts places_;
  Index count_, inner_;
  Scalar<T> alpha_;
  Scalar<T> beta_;
  std::uint64_t seed_;
  Values values_ = Values::uniform;
  HostVector<In<T>> a_;
  HostVector<In<T>> b_;
  HostVector<Out<T>> c_;
  HostVector<Out<T>> result_;
  std::vector<float> scales_a_, scales_b_;  ///< of 8-bit floats; may be empty
  std::optional<Buffer<float>> device_scales_a_, device_scales_b_;
  PlacedBuffer<In<T>> device_a_;
  PlacedBuffer<In<T>> device_b_;
  PlacedBuffer<Out<T>> device_c_;
  std::optional<PlacedBuffer<Out<T>>> before_;  ///< C before a product; a copy within the device is fastest
  std::optional<Pointers> pointers_;
};

#define ROOFTILE_DECLARE(...) extern template class Operands<__VA_ARGS__>;
ROOFTILE_FOR_EACH_PRODUCT_TYPE(ROOFTILE_DECLARE)
#undef ROOFTILE_DECLARE

}  // namespace rooftile::perf
