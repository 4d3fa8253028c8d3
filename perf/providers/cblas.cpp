// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <cblas.h>

#include "library_candidate.hpp"
#include "openblas_core.hpp"
#include "rooftile/error.hpp"

namespace rooftile::perf {
namespace {

std::string library_name() {
  const std::string core = openblas_core();
  return core.empty() ? "cblas" : "openblas/" + core;
}

/// CBLAS sizes are int.
int i(Index x) {
  if (x > std::numeric_limits<int>::max()) {
    throw Error(detail::text("too large for CBLAS (", x, "): take a smaller product"));
  }
  return static_cast<int>(x);
}

template <class T>
Candidate<T> candidate(Device& host) {
  return vendor_candidate<T>(host, own_mode<T>(), library_name(), [](const vendor::BlasForm<T>& all) {
    const auto op = [](vendor::Operation operation) {
      constexpr CBLAS_TRANSPOSE operations[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
      return operations[static_cast<int>(operation)];
    };
    for (Index product = 0; product < all.batch.count; ++product) {
      const vendor::BlasForm<T> f = all.product(product);
      const auto gemm = function_for<T>(cblas_sgemm, cblas_dgemm, cblas_cgemm, cblas_zgemm);
      const auto scalar = [](const T& x) {
        if constexpr (detail::is_complex<T>) {
          return &x;
        } else {
          return x;
        }
      };
      gemm(CblasColMajor, op(f.a_as), op(f.b_as), i(f.m), i(f.n), i(f.k), scalar(f.alpha), f.a, i(f.lda), f.b,
           i(f.ldb), scalar(f.beta), f.c, i(f.ldc));
    }
  });
}

const Provider provider{Provider::vendor, [](Machine& machine) {
                          if (std::string warning = openblas_warning(openblas_core()); !warning.empty())
                            machine.warnings.push_back(std::move(warning));
                          Device& host = *machine.devices.front();
                          machine.add(candidate<float>(host));
                          machine.add(candidate<double>(host));
                          machine.add(candidate<complex<float>>(host));
                          machine.add(candidate<complex<double>>(host));
                        }};

}  // namespace
}  // namespace rooftile::perf
