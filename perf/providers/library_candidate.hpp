// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "../machine.hpp"
#include "backends/vendor/blas_form.hpp"
#include "plan/batch_parts.hpp"

/// Candidates for other libraries: vendor libraries through a BLAS interface, portable peers through
/// Rooftile's.
namespace rooftile::perf {

/// A vendor library's gemm; `call(form)` enqueues its products.
/// @param follows_pointers  whether the library supports arrays of pointers
template <class T, class Call>
Candidate<T> vendor_candidate(Device& device, ComputeMode math, std::string library, const Call& call,
                              bool follows_pointers = true) {
  const auto refusal = [library, follows_pointers](const BatchArgs<T>& args) -> Refusal {
    if (!follows_pointers && args.pointers.any())
      return {Reason::addresses, library + " is not called by pointers here: leave out --pointers"};
    vendor::BlasForm<T> form;
    const std::string problem = vendor::to_blas(args, form);
    return problem.empty() ? Refusal{} : Refusal{Reason::shape, problem};
  };
  const auto with = [call](const BatchArgs<T>& args) {
    std::vector<vendor::BlasForm<T>> forms;  // vendor calls have one batch dimension
    for_each_part(args, std::max<Index>(args.batch.count, 1),
                  [&](const BatchArgs<T>& part) { vendor::to_blas(part, forms.emplace_back()); });
    return [call, forms] {
      for (const vendor::BlasForm<T>& form : forms) call(form);
    };
  };
  return {&device, math, "vendor", std::move(library), "", 0, refusal, with};
}

/// Selects the function for T. @param functions  for float, double, complex<float> and complex<double>
template <class T, class... Functions>
constexpr auto function_for(Functions... functions) {
  constexpr std::size_t number = std::is_same_v<Real<T>, double> + (detail::is_complex<T> ? 2 : 0);
  return std::get<number>(std::tuple(functions...));
}

/// Whether and how a matrix is contiguous in memory.
enum class Dense { no, by_rows, by_columns };

template <class T>
Dense dense(const MatrixRef<T>& X) {
  const auto by_rows = [](const MatrixRef<T>& Y) {
    return (Y.col_stride == 1 || Y.cols == 1) && (Y.row_stride == Y.cols || Y.rows == 1);
  };
  if (by_rows(X)) return Dense::by_rows;
  return by_rows(X.transposed()) ? Dense::by_columns : Dense::no;
}

/// Another portable library's gemm, in the type's own math mode. `call(args)` enqueues a product of
/// contiguous matrices.
template <class T, class Call>
Candidate<T> peer_candidate(Device& device, std::string library, const Call& call) {
  const auto refusal = [library](const BatchArgs<T>& batch) -> Refusal {
    if (batch.batch.count != 1 || batch.pointers.any())
      return {Reason::shape, library + "'s gemm computes one product: take a batch of 1"};
    const GemmArgs<T>& args = batch.first;
    if (dense(args.A) != Dense::no && dense(args.B) != Dense::no && dense(args.C) != Dense::no) return {};
    return {Reason::shape,
            library +
                " is compiled for matrices without gaps (LayoutRight and LayoutLeft): take contiguous ones"};
  };
  const auto launch = [call](const BatchArgs<T>& batch) { call(batch.first); };
  return {&device, own_mode<T>(), "peer", std::move(library), "", 0, refusal, call_of<T>(launch)};
}

}  // namespace rooftile::perf
