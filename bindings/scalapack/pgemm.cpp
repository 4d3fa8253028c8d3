// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// gemm of PBLAS. It ignores the hidden lengths of the character arguments, which Fortran passes after the
// others.
#include <cctype>
#include <cstdlib>
#include <exception>

#include "bindings/scalapack/blacs.hpp"
#include "rooftile/distributed/gemm.hpp"
#include "rooftile/error.hpp"

namespace rooftile::scalapack {

namespace {

/// The arguments that describe a matrix in PBLAS.
template <class T>
struct Argument {
  T* data;
  const int *i, *j, *words;
};

/// The type of PBLAS gemm for elements of T.
template <class T>
using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                  const int*, const int*, const int*, const T*, const int*, const int*, const int*, const T*,
                  T*, const int*, const int*, const int*);

/// The arguments of PBLAS gemm.
template <class T>
struct Call {
  const char *transa, *transb;
  const int *m, *n, *k;
  const T* alpha;
  Argument<const T> a, b;
  const T* beta;
  Argument<T> c;
};

/// The sub-matrix X(i:i+rows-1, j:j+cols-1).
template <class T>
distributed::DistributedMatrix<T> sub_matrix(const Argument<T>& x, const Place& place, Index rows,
                                             Index cols) {
  const Descriptor d = descriptor(x.words);
  const distributed::Layout layout = d.layout();
  const MatrixRef<T> local = column_major(x.data, layout.rows.held(place.rows, place.row),
                                          layout.cols.held(place.cols, place.col), d.ld);
  return distributed::DistributedMatrix<T>(layout, local).block(*x.i - 1, *x.j - 1, rows, cols);
}

/// op(X), with shape (rows,cols).
template <class T>
distributed::DistributedMatrix<T> operand(char trans, const Argument<T>& x, const Place& place, Index rows,
                                          Index cols) {
  if (trans == 'N') return sub_matrix(x, place, rows, cols);
  const auto stored = sub_matrix(x, place, cols, rows);
  return trans == 'C' ? stored.adjoint() : stored.transposed();
}

/// A matrix (rows,cols) without elements.
template <class T>
distributed::DistributedMatrix<T> nothing(const Place& place, Index rows, Index cols) {
  const distributed::Layout layout = distributed::block_cyclic(rows, cols, 1, 1);
  return {layout, column_major<T>(nullptr, layout.rows.held(place.rows, place.row),
                                  layout.cols.held(place.cols, place.col), 1)};
}

/// The largest m·n·k that the next library computes, equal on all processes. Rooftile's processes first agree
/// on a product, which is slower for small products.
/// @throws Error if ROOFTILE_SCALAPACK_SMALL is not a number
Index small_product() {
  static const Index small = [] {
    const char* const wanted = std::getenv("ROOFTILE_SCALAPACK_SMALL");
    if (wanted == nullptr) return Index{40 * 40 * 40};
    char* end = nullptr;
    const long long number = std::strtoll(wanted, &end, 10);
    if (end == wanted || *end != '\0' || number < 0) {
      throw Error(detail::text("not a number (ROOFTILE_SCALAPACK_SMALL=", wanted,
                               "): give the largest m*n*k that the next library computes, or 0"));
    }
    return static_cast<Index>(number);
  }();
  return small;
}

/// @param name     the name of the function
/// @param routine  the name for messages, for example `PDGEMM`
template <class T>
void gemm(const char* name, const char* routine, const Call<T>& call) noexcept {
  const auto upper = [](const char* letter) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(*letter)));
  };
  const char transa = upper(call.transa), transb = upper(call.transb);
  const int m = *call.m, n = *call.n, k = *call.k;
  const Descriptor a = descriptor(call.a.words), b = descriptor(call.b.words), c = descriptor(call.c.words);
  const int context = a.context;
  const Place place = place_in(context);
  if (place.rows == -1) return report(context, routine, -1002);

  FirstWrong wrong;
  const auto is_known = [](char trans) { return trans == 'N' || trans == 'T' || trans == 'C'; };
  wrong.argument(!is_known(transa), 1);
  wrong.argument(!is_known(transb), 2);
  check(transa == 'N' ? SubMatrix{m, 3, k, 5, *call.a.i, *call.a.j, a, 10}
                      : SubMatrix{k, 5, m, 3, *call.a.i, *call.a.j, a, 10},
        context, place, wrong);
  check(transb == 'N' ? SubMatrix{k, 5, n, 4, *call.b.i, *call.b.j, b, 14}
                      : SubMatrix{n, 4, k, 5, *call.b.i, *call.b.j, b, 14},
        context, place, wrong);
  check({m, 3, n, 4, *call.c.i, *call.c.j, c, 19}, context, place, wrong);
  if (wrong.any()) return report(context, routine, wrong.info());

  const bool reads = *call.alpha != T(0) && k > 0;  // A and B
  if (m == 0 || n == 0 || (!reads && *call.beta == T(1))) return;
  const bool is_replicated = c.is_replicated() || (reads && (a.is_replicated() || b.is_replicated()));
  try {
    const bool is_small =
        small_product() > 0 && static_cast<double>(m) * n * k <= static_cast<double>(small_product());
    if (is_replicated || is_small) {
      if (auto* const other = reinterpret_cast<Gemm<T>*>(next(name))) {
        return other(call.transa, call.transb, call.m, call.n, call.k, call.alpha, call.a.data, call.a.i,
                     call.a.j, call.a.words, call.b.data, call.b.i, call.b.j, call.b.words, call.beta,
                     call.c.data, call.c.i, call.c.j, call.c.words);
      }
      if (is_replicated)
        end(context, routine, "matrices replicated on several processes: load ScaLAPACK behind this library");
    }
    const auto A = reads ? operand(transa, call.a, place, m, k) : nothing<const T>(place, m, 0);
    const auto B = reads ? operand(transb, call.b, place, k, n) : nothing<const T>(place, 0, n);
    distributed::gemm<T>(context_of(context, place), *call.alpha, A, B, *call.beta,
                         sub_matrix(call.c, place, m, n));
  } catch (const std::exception& error) {
    end(context, routine, error.what());
  }
}

}  // namespace

extern "C" {

#define ROOFTILE_PGEMM(name, routine, T)                                                                     \
  void name(const char* transa, const char* transb, const int* m, const int* n, const int* k,                \
            const T* alpha, const T* a, const int* ia, const int* ja, const int* desca, const T* b,          \
            const int* ib, const int* jb, const int* descb, const T* beta, T* c, const int* ic,              \
            const int* jc, const int* descc) {                                                               \
    gemm<T>(                                                                                                 \
        #name, routine,                                                                                      \
        {transa, transb, m, n, k, alpha, {a, ia, ja, desca}, {b, ib, jb, descb}, beta, {c, ic, jc, descc}}); \
  }
ROOFTILE_PGEMM(psgemm_, "PSGEMM", float)
ROOFTILE_PGEMM(pdgemm_, "PDGEMM", double)
ROOFTILE_PGEMM(pcgemm_, "PCGEMM", complex<float>)
ROOFTILE_PGEMM(pzgemm_, "PZGEMM", complex<double>)
#undef ROOFTILE_PGEMM

}  // extern "C"

}  // namespace rooftile::scalapack
