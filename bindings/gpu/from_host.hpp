// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bindings/gpu/pipeline.hpp"
#include "rooftile/error.hpp"

namespace rooftile::gpu {

/// The memory that contains an operand.
enum class Memory {
  pageable,  ///< on the host
  pinned,    ///< on the host, accessible to the device
  device     ///< device memory or managed memory
};
struct Memories {
  Memory a = Memory::pageable, b = Memory::pageable, c = Memory::pageable;
};

/// Thrown if a part of a product can be computed neither by the GPU nor by the CPU: its operands are in
/// device memory, or the old C is lost.
class Lost : public Error {
  using Error::Error;
};

/// Computes a product with operands on the host. Halves the product until it fits the device; `rest` computes
/// what does not fit.
/// @tparam Device  as for `Pipeline`, with `allocate(bytes)`, which may return null, and `release(void*)`
template <class T, class Device, class Rest>
class FromHost {
 public:
  /// @param rest  computes a product on the CPU: rest(GemmArgs<T>)
  FromHost(Device& device, const Memories& memories, const Copiers& copiers, const Rates& rates,
           const Rest& rest)
      : device_(device), memories_(memories), copiers_(copiers), rates_(rates), rest_(rest) {}

  /// @pre operands on the host have a contiguous dimension (`lines_of`)
  /// @throws Lost
  void run(const GemmArgs<T>& args) {
    if (!problem_.empty()) return leave(args);
    typename Pipe::Progress progress;
    Schedule steps;
    try {
      const std::size_t bytes = copy_bytes(args);
      const Memory_ memory(device_, bytes);
      if (memory.begin == nullptr && bytes > 0) return halve(args);
      steps = best_schedule<T>(args.shape(), transfers(args), rates_).steps;
      pipeline(args, memory.begin).run(steps, progress);
      return;
    } catch (const OutOfMemory&) {  // no workspace for a kernel
    } catch (const std::bad_alloc&) {
    } catch (const Error& error) {
      problem_ = error.what();
    }
    if (progress.wrote && args.beta != Scalar<T>(0))
      throw Lost(detail::text("a product stopped while it wrote C (",
                              problem_.empty() ? "no device memory" : problem_, "): do not use C"));
    if (progress.stored == 0) return halve(args);
    std::size_t part = 0;
    const Lines<T> c = *lines_of(args.C);
    for (const Step& step : steps) {
      if (!step.last || step.product.empty()) continue;
      const Block& all = step.product;
      Pipe::for_each_part(c.block(all), [&](Index line, Index lines, Index first, Index elements) {
        if (part++ < progress.stored) return;
        const Block p = c.are_rows ? Block{all.row + line, all.col + first, lines, elements}
                                   : Block{all.row + first, all.col + line, elements, lines};
        run({args.alpha, args.A.block(p.row, 0, p.rows, args.A.cols),
             args.B.block(0, p.col, args.B.rows, p.cols), args.beta,
             args.C.block(p.row, p.col, p.rows, p.cols)});
      });
    }
  }

  /// Why the device must not be used any more; empty if it may be used.
  const std::string& problem() const { return problem_; }

 private:
  struct Memory_ {
    Memory_(Device& device, std::size_t bytes)
        : device_(device), begin(bytes > 0 ? device.allocate(bytes) : nullptr) {}
    ~Memory_() {
      if (begin != nullptr) device_.release(begin);
    }
    Memory_(const Memory_&) = delete;
    Memory_& operator=(const Memory_&) = delete;

    Device& device_;
    void* begin;
  };
  using Pipe = Pipeline<T, Device>;

  Transfers transfers(const GemmArgs<T>& args) const {
    const auto on_host = [](Memory where) { return where != Memory::device; };
    return {on_host(memories_.a), on_host(memories_.b), on_host(memories_.c), args.beta != Scalar<T>(0)};
  }

  template <class E>
  static std::size_t bytes_of(const MatrixRef<E>& X) {
    const auto lines = *lines_of(X);
    return static_cast<std::size_t>(lines.count * copy_pitch<T>(lines.length)) * sizeof(T);
  }
  std::size_t copy_bytes(const GemmArgs<T>& args) const {
    const auto [a, b, c, reads] = transfers(args);
    return (a ? bytes_of(args.A) : 0) + (b ? bytes_of(args.B) : 0) + (c ? bytes_of(args.C) : 0);
  }

  /// @param memory  free memory for copies; advanced past the copy of this operand
  template <class E>
  static typename Pipe::template Place<E> place(const MatrixRef<E>& X, Memory where, std::byte*& memory) {
    typename Pipe::template Place<E> place{.device = X};
    if (where == Memory::device) return place;
    place.host = *lines_of(X);
    place.copy = {reinterpret_cast<T*>(memory), place.host.count, place.host.length,
                  copy_pitch<T>(place.host.length), place.host.are_rows};
    memory += bytes_of(X);
    place.device.data = place.copy.data;
    place.device.row_stride = place.host.are_rows ? place.copy.pitch : 1;
    place.device.col_stride = place.host.are_rows ? 1 : place.copy.pitch;
    place.on_host = true, place.reachable = where == Memory::pinned;
    return place;
  }
  Pipe pipeline(const GemmArgs<T>& args, void* copies) {
    auto* memory = static_cast<std::byte*>(copies);
    const auto a = place(args.A, memories_.a, memory);
    const auto b = place(args.B, memories_.b, memory);
    return {device_, args.alpha, a, b, args.beta, place(args.C, memories_.c, memory), copiers_};
  }

  /// Computes a product in two halves along the longest extent that can be divided.
  void halve(const GemmArgs<T>& args) {
    constexpr Index smallest = 4 * unit;
    const auto [m, n, k] = args.shape();
    const auto half = [](Index extent) { return (extent / 2 + unit - 1) / unit * unit; };
    const bool cut_k = sums_in_c<T> && k > std::max(m, n);
    if ((cut_k ? k : std::max(m, n)) <= smallest || !problem_.empty()) return leave(args);
    const auto& [alpha, A, B, beta, C] = args;
    if (!cut_k && m >= n) {
      const Index h = half(m);
      run({alpha, A.block(0, 0, h, k), B, beta, C.block(0, 0, h, n)});
      run({alpha, A.block(h, 0, m - h, k), B, beta, C.block(h, 0, m - h, n)});
    } else if (!cut_k) {
      const Index h = half(n);
      run({alpha, A, B.block(0, 0, k, h), beta, C.block(0, 0, m, h)});
      run({alpha, A, B.block(0, h, k, n - h), beta, C.block(0, h, m, n - h)});
    } else {
      const Index h = half(k);
      run({alpha, A.block(0, 0, m, h), B.block(0, 0, h, n), beta, C});
      run({alpha, A.block(0, h, m, k - h), B.block(h, 0, k - h, n), Scalar<T>(1), C});
    }
  }

  void leave(const GemmArgs<T>& args) {
    const auto [a, b, c, reads] = transfers(args);
    if (!a || !b || !c)
      throw Lost(detail::text("the GPU cannot compute a product whose operands it holds (",
                              problem_.empty() ? "no device memory" : problem_, "): free memory there"));
    rest_(args);
  }

  Device& device_;
  Memories memories_;
  Copiers copiers_;
  Rates rates_;
  const Rest& rest_;
  std::string problem_;
};

}  // namespace rooftile::gpu
