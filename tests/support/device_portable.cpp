// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The portable path on one Kokkos execution space, ROOFTILE_TEST_SPACE.
#include <exception>

#include "backends/kokkos/target.hpp"
#include "device.hpp"
#include "plan/batch_operands.hpp"
#include "rooftile/gemm_grouped.hpp"

namespace rooftile::testing {
namespace {

using Exec = Kokkos::ROOFTILE_TEST_SPACE;
using Memory = Exec::memory_space;
template <class Byte, class Space>
using Bytes = Kokkos::View<Byte*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

class Portable : public DeviceOfElements<Portable> {
 public:
  void* allocate(std::size_t bytes) override {
    try {
      return Kokkos::kokkos_malloc<Memory>(bytes);
    } catch (const std::exception&) {
      throw Error(detail::text("out of memory (", bytes, " bytes on ", Exec::name(), "): free some"));
    }
  }
  void release(void* memory) noexcept override { Kokkos::kokkos_free<Memory>(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    Kokkos::deep_copy(Bytes<char, Memory>(static_cast<char*>(to), bytes),
                      Bytes<const char, Kokkos::HostSpace>(static_cast<const char*>(from), bytes));
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    Kokkos::deep_copy(Bytes<char, Kokkos::HostSpace>(static_cast<char*>(to), bytes),
                      Bytes<const char, Memory>(static_cast<const char*>(from), bytes));
  }
  void wait() override { exec_.fence(); }
  Target target(ComputeMode math) const override { return detail::portable_target(exec_, math); }

  template <class T>
  void run(const BatchArgs<T>& args, const GemmOptions& options) const {
    const auto& [alpha, A, B, beta, C] = args.first;
    const auto [count, stride_a, stride_b, stride_c, inner, outer_a, outer_b, outer_c] = args.batch;
    if (args.pointers.any() || inner != 0) {
      const auto [a, b, c] = detail::operands_of(args);
      return rooftile::gemm_batched(exec_, alpha, a, b, beta, c, options);
    }
    if (count == 1) return rooftile::gemm(exec_, alpha, A, B, beta, C, options);
    gemm_strided_batched(exec_, alpha, A, stride_a, B, stride_b, beta, C, stride_c, count, options);
  }
  template <class T>
  void run(std::span<const GemmArgs<T>> group, const GemmOptions& options) const {
    gemm_grouped(exec_, group, options);
  }

 private:
  Exec exec_;
};

}  // namespace

std::unique_ptr<Device> find_device(std::string& lack) {
  try {  // a Kokkos for GPUs does not initialize without one
    static const Kokkos::ScopeGuard kokkos(Kokkos::InitializationSettings().set_disable_warnings(true));
    return std::make_unique<Portable>();
  } catch (const std::exception& error) {
    lack = error.what();
    return nullptr;
  }
}

}  // namespace rooftile::testing
