// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "definition.hpp"

/// The memory of this executable's device and the plain loops over it, which run there: memory_host.cpp,
/// memory_cuda.cu or memory_hip.cpp. All are for every type that a matrix may be of, and done when they
/// return.
namespace rooftile::testing {

/// What a case may take, so that thousands of them take minutes.
struct Limits {
  double multiply_adds;
  std::size_t bytes;  ///< of one operand
  Index longest_k;
  Index max_entries;  ///< of a batch
};
Limits limits();

/// Whether this device can fence memory.
bool fenced();

/// Memory between two fences: to read or write before or behind it ends the process or fails the next call.
/// Without them where the device is not `fenced`.
class Block {
 public:
  explicit Block(std::size_t bytes);
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block();

  template <class T>
  T* begin() const {
    return reinterpret_cast<T*>(begin_);
  }
  template <class T>
  T* end() const {
    return reinterpret_cast<T*>(end_);
  }

 private:
  char *begin_, *end_;
  void* whole_;  ///< with the fences
  std::size_t whole_bytes_;
};

/// From or to the host, or within the device.
void copy_bytes(void* to, const void* from, std::size_t bytes);

/// Loops over memory of the device, for every type of `AllElements`.
template <class T>
struct Loops {
  static void fill(T* first, Index count, T value);

  /// Writes the elements of a batch, and only them.
  static void fill(const BatchRef<T>& X, const Values& values);

  static void copy(T* to, const T* from, Index count);

  /// To the host.
  static T value(const T* element);

  /// The first element in which they do not `agree`; -1 where there is none.
  static Index first_difference(const T* found, const T* expected, Index count);
};

/// C by the definition (`element_of`), for every element type and all mixed types.
template <class T>
void multiply(const StridedArgs<T>& args);

// Instantiates all of it, where it is defined.
#define ROOFTILE_TEST_INSTANTIATE_LOOPS                               \
  template struct Loops<float>;                                       \
  template struct Loops<double>;                                      \
  template struct Loops<float16>;                                     \
  template struct Loops<bfloat16>;                                    \
  template struct Loops<complex<float>>;                              \
  template struct Loops<complex<double>>;                             \
  template struct Loops<std::int8_t>;                                 \
  template struct Loops<std::int32_t>;                                \
  template void multiply(const StridedArgs<float>&);                  \
  template void multiply(const StridedArgs<double>&);                 \
  template void multiply(const StridedArgs<float16>&);                \
  template void multiply(const StridedArgs<bfloat16>&);               \
  template void multiply(const StridedArgs<complex<float>>&);         \
  template void multiply(const StridedArgs<complex<double>>&);        \
  template void multiply(const StridedArgs<Mixed<float16, float>>&);  \
  template void multiply(const StridedArgs<Mixed<bfloat16, float>>&); \
  template void multiply(const StridedArgs<Mixed<float, double>>&);   \
  template void multiply(const StridedArgs<Mixed<std::int8_t, std::int32_t>>&);

}  // namespace rooftile::testing
