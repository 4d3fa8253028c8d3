// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cpu/driver.hpp"
#include "rooftile/detail/epilogue.hpp"

namespace rooftile::portable {
namespace {

/// Returns the values of a matrix with their scales, as row-major fp32 in `memory`.
MatrixRef<const float> converted(const MatrixRef<const float8_e4m3>& X, float* memory) {
  for (Index i = 0; i < X.rows; ++i) {
    for (Index j = 0; j < X.cols; ++j) memory[i * X.cols + j] = X.value(i, j);
  }
  return row_major<const float>(memory, X.rows, X.cols);
}

}  // namespace

template <class R>
void CpuDriver<Mixed<float8_e4m3, R>>::run(const Threads& threads, const BatchArgs<T>& batch,
                                           const CpuPlan& /*plan*/, const Epilogue& /*epilogue*/) {
  const auto [m, n, k] = batch.shape();
  const auto elements = [](Index rows, Index cols) { return static_cast<std::size_t>(rows * cols); };
  const auto a = std::make_unique_for_overwrite<float[]>(elements(m, k));
  const auto b = std::make_unique_for_overwrite<float[]>(elements(k, n));
  const auto c = std::make_unique_for_overwrite<float[]>(elements(m, n));
  const int count = threads.computes_alone() ? 1 : threads.count();
  for (Index i = 0; i < batch.batch.count; ++i) {
    const GemmArgs<T> product = batch.product(i);
    const GemmArgs<float> sums{1, converted(product.A, a.get()), converted(product.B, b.get()), 0,
                               row_major(c.get(), m, n)};
    const CpuPlan plan = detail::plan_on_cpu(detail::cpu_product<float>(sums), real_blocks<float>(), count);
    CpuDriver<float>::run(threads, sums, plan);
    for (Index row = 0; row < m; ++row) {
      for (Index col = 0; col < n; ++col)
        detail::update(product.C(row, col), product.alpha, sums.C(row, col), product.beta);
    }
  }
}

template struct CpuDriver<Mixed<float8_e4m3, float>>;
template struct CpuDriver<Mixed<float8_e4m3, bfloat16>>;
template struct CpuDriver<Mixed<float8_e4m3, float16>>;

}  // namespace rooftile::portable
