// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "plan/log_sink.hpp"
#include "rooftile/gemm_plan.hpp"
#include "rooftile/log.hpp"

/// Logging of calls. A call runs as without a log. After it returns, the log records its products and the
/// plan. A refused call is not logged.
namespace rooftile::detail {

/// Returns the largest power of two that divides an address, up to `max_logged_alignment`.
Index logged_alignment(const void* address);

template <class T>
LoggedOperand logged_operand(const MatrixRef<T>& X, Index every, bool pointers, Index outer) {
  LoggedOperand logged{X.row_stride, X.col_stride, logged_alignment(X.data), reads_conjugates(X), every,
                       pointers,     outer};
  if constexpr (Float8<T>) {
    logged.format = X.format;
    if (X.scales.data != nullptr) logged.scales = X.scales, logged.scales.data = nullptr;
  }
  return logged;
}

template <class T>
Factor factor_of(const T& x) {
  return x == T(0) ? Factor::zero : x == T(1) ? Factor::one : x == T(-1) ? Factor::minus_one : Factor::other;
}

template <class T>
LoggedProduct logged_product(const BatchArgs<T>& args, bool epilogue) {
  const auto& [first, batch, pointers] = args;
  const bool several = batch.count != 1, nested = several && batch.inner != 0;
  const auto operand = [&](const auto& X, Index every, const void* each, Index outer) {
    return logged_operand(X, several ? every : 0, each != nullptr, nested ? outer : 0);
  };
  return {type_of<T>(),
          first.shape(),
          operand(first.A, batch.stride_a, pointers.a, batch.outer_a),
          operand(first.B, batch.stride_b, pointers.b, batch.outer_b),
          operand(first.C, batch.stride_c, pointers.c, batch.outer_c),
          factor_of(first.alpha),
          factor_of(first.beta),
          batch.count,
          nested ? batch.inner : 0,
          epilogue,
          own_mode<T>()};
}

/// Logs a product. @param plan  null: no plan was made
void log_product(const LogSink& sink, LoggedCall call, const GemmPlan* plan) noexcept;

/// Returns the result of a function; empty if it throws, for example without memory.
template <class Explain>
auto try_to(const Explain& explain) noexcept -> std::optional<decltype(explain())> {
  try {
    return explain();
  } catch (...) {
    return std::nullopt;
  }
}

/// Runs a call and returns its seconds. If the log records no times, it does not wait and returns -1.
template <class Compute, class Wait>
double seconds_of(const LogSink& sink, const Compute& compute, const Wait& wait) {
  if (!sink.times) return compute(), -1;
  using Clock = std::chrono::steady_clock;
  wait();
  const auto begin = Clock::now();
  compute();
  wait();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Runs a call and logs it with the plan that `explain` returns.
/// @param args  the caller's operands
/// @param wait  waits for the computation
template <class T, class Compute, class Wait, class Explain>
void with_log(std::string_view name, const BatchArgs<T>& args, bool epilogue, const Compute& compute,
              const Wait& wait, const Explain& explain) {
  const LogSink* const sink = find_log();
  if (sink == nullptr) return compute();
  LoggedCall call{.name = name, .product = logged_product(args, epilogue)};
  call.seconds = seconds_of(*sink, compute, wait);
  const auto plan = try_to(explain);
  log_product(*sink, call, plan ? &*plan : nullptr);
}

/// Runs a group and logs it. A line records one product, or several consecutive equal ones.
/// @param explain  returns the plans of all products
template <class T, class Compute, class Wait, class Explain>
void with_log(std::string_view name, std::span<const GemmArgs<T>> products, bool epilogue,
              const Compute& compute, const Wait& wait, const Explain& explain) {
  const LogSink* const sink = find_log();
  if (sink == nullptr) return compute();
  const double seconds = seconds_of(*sink, compute, wait);
  const auto plans = try_to(explain);
  const auto product = [&](std::size_t i) { return logged_product<T>(products[i], epilogue); };
  for (std::size_t i = 0, next = 0; i < products.size(); i = next) {
    LoggedCall call{.name = name, .product = product(i), .group = static_cast<Index>(products.size())};
    for (next = i + 1; next < products.size() && product(next) == call.product; ++next) {
    }
    call.times = static_cast<Index>(next - i);
    if (i == 0) call.seconds = seconds;
    log_product(*sink, call, plans && i < plans->size() ? &(*plans)[i] : nullptr);
  }
}

}  // namespace rooftile::detail
