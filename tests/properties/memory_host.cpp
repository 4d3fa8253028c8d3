// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "memory.hpp"
#include "plan/batch_parts.hpp"
#include "rooftile/error.hpp"

namespace rooftile::testing {

Limits limits() {
  return {8e6, std::size_t{16} << 20, 100000, 4000};
}

bool fenced() {
  return true;
}

Block::Block(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t inside = (bytes + page - 1) / page * page;
  whole_bytes_ = inside + 2 * page;
  whole_ = mmap(nullptr, whole_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  begin_ = static_cast<char*>(whole_) + page, end_ = begin_ + inside;
  if (whole_ == MAP_FAILED || mprotect(begin_, inside, PROT_READ | PROT_WRITE) != 0)
    throw Error(detail::text("out of memory (", whole_bytes_, " bytes): end other programs"));
}

Block::~Block() {
  munmap(whole_, whole_bytes_);
}

void copy_bytes(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}

template <class T>
void Loops<T>::fill(T* first, Index count, T value) {
  std::fill_n(first, count, value);
}

template <class T>
void Loops<T>::fill(const BatchRef<T>& X, const Values& values) {
  const Index rows = X.first.rows, cols = X.first.cols;
  for (Index x = 0; x < X.count * rows * cols; ++x) {
    const Place at(x, rows, cols);
    X[at.entry](at.i, at.j) = value_at<T>(values, x);
  }
}

template <class T>
void Loops<T>::copy(T* to, const T* from, Index count) {
  std::copy_n(from, count, to);
}

template <class T>
T Loops<T>::value(const T* element) {
  return *element;
}

template <class T>
void multiply(const StridedArgs<T>& args) {
  const auto [m, n, k] = args.first.shape();
  for (Index p = 0; p < args.batch.count; ++p) {
    const GemmArgs<T> entry = args.product(p);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) entry.C(i, j) = element_of<T>(entry, i, j);
    }
  }
}

template <class T>
Index Loops<T>::first_difference(const T* found, const T* expected, Index count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (bytes == 0 || std::memcmp(found, expected, bytes) == 0) return -1;
  for (Index i = 0; i < count; ++i) {
    if (!agree(found[i], expected[i])) return i;
  }
  return -1;
}

ROOFTILE_TEST_INSTANTIATE_LOOPS

}  // namespace rooftile::testing
