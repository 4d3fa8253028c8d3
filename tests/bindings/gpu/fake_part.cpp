// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A GPU part without a GPU, for `ROOFTILE_GPU=FILE`. FAKE_GPU is one of works, none, old, breaks, refuses,
// stops.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <tuple>

#include "bindings/gpu/from_host.hpp"
#include "bindings/gpu/interface.hpp"
#include "rooftile/version.hpp"
#include "tests/bindings/gpu/fake_device.hpp"

namespace rooftile::testing {
namespace {

using gpu::Answer;
using gpu::Outcome;

std::atomic<int> asked{0};

bool fares(std::string_view how) {
  const char* const value = std::getenv("FAKE_GPU");
  return value != nullptr && value == how;
}

template <class F>
void with_type(Type type, const F& f) {
  const auto call_if = [&]<class T>(std::type_identity<T> of) {
    if (type_of<T>() == type) f(of);
  };
  [&]<class... Ts>(std::type_identity<std::tuple<Ts...>>) {
    (call_if(std::type_identity<Ts>()), ...);
  }(std::type_identity<std::tuple<float, double, float16, bfloat16, complex<float>, complex<double>>>());
}

/// Whether a product is refused, because of its argument or of the GPU.
/// @param name  the name of A
bool is_refused(const char* name, Answer& answer) noexcept {
  answer.wrong = fares("refuses");
  if (answer.wrong) std::snprintf(answer.why, sizeof answer.why, "memory of another GPU (%s): copy it", name);
  if (fares("stops")) std::snprintf(answer.why, sizeof answer.why, "a product stopped (fault): do not use C");
  return answer.why[0] != '\0';
}

Outcome multiply(const gpu::HostCall& call, Answer& answer) noexcept {
  ++asked;
  if (is_refused(call.swapped ? "B" : "A", answer)) return Outcome::refused;
  if (call.cpu_seconds <= 0) return Outcome::left;
  with_type(type_of(call.math), [&]<class T>(std::type_identity<T>) {
    FakeDevice device(1, fares("breaks") ? Fault::breaks : Fault::none, 40);
    const auto rest = [&](const GemmArgs<T>& product) { call.rest(&product, call.context); };
    gpu::FromHost<T, FakeDevice, decltype(rest)> product(device, {}, call.copiers, {1e9, 1e9, 0, 0}, rest);
    product.run(*static_cast<const GemmArgs<T>*>(call.product));
    answer.broken = !product.problem().empty();
    answer.why[product.problem().copy(answer.why, sizeof answer.why - 1)] = '\0';
  });
  return Outcome::done;
}

Outcome enqueue(ComputeMode math, const void* batch, void*, Answer& answer) noexcept {
  ++asked;
  if (is_refused("A", answer)) return Outcome::refused;
  with_type(type_of(math), [&]<class T>(std::type_identity<T>) {
    const auto& args = *static_cast<const BatchArgs<T>*>(batch);
    for (Index i = 0; i < args.batch.count; ++i) portable::multiply_without_memory(args.product(i));
  });
  return Outcome::done;
}

Outcome enqueue_group(ComputeMode math, const void* products, std::size_t count, void*,
                      Answer& answer) noexcept {
  ++asked;
  if (is_refused("A", answer)) return Outcome::refused;
  with_type(type_of(math), [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i)
      portable::multiply_without_memory(static_cast<const GemmArgs<T>*>(products)[i]);
  });
  return Outcome::done;
}

bool explain(ComputeMode, const void*, void*, GemmPlan&) noexcept {
  return false;
}

constexpr gpu::Functions functions{version, &multiply, &enqueue, &enqueue_group, &explain};
constexpr gpu::Functions old_functions{"0.0.0", &multiply, &enqueue, &enqueue_group, &explain};

}  // namespace

extern "C" const gpu::Functions* rooftile_gpu_open(Answer& answer) noexcept {
  if (!fares("none")) return fares("old") ? &old_functions : &functions;
  std::snprintf(answer.why, sizeof answer.why, "no CUDA-capable device is detected");
  return nullptr;
}

/// The number of products that the part was asked about.
extern "C" int fake_gpu_asked() {
  return asked;
}

}  // namespace rooftile::testing
