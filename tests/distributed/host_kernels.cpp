// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// The kernels, on the device of the host's memory.
#include <cstring>

#include "backends/nccl/start_copy.hpp"
#include "rooftile/cuda_native.hpp"
#include "tests/distributed/host_device.hpp"

namespace rooftile::distributed {

void start_copy(cudaStream_t stream, const RunCopy& given, int size, Index word_of_x, Index word_of_y,
                const void* from, void* to) {
  const auto [copy, bytes] = in_words(given, size, word_of_x, word_of_y, from, to);
  put_done(stream, [=, copy = copy, bytes = bytes] {
    const Index word = bytes / size;
    for (Index i = 0; i < copy.x.extent; i += word) {
      const Axis::Place x = copy.x.place(i);
      for (Index j = 0; j < copy.y.extent; ++j) {
        const RunCopy::Offsets at = copy.offsets(x, copy.y.place(j));
        char* const there = static_cast<char*>(to) + at.to / word * bytes;
        std::memcpy(there, static_cast<const char*>(from) + at.from / word * bytes,
                    static_cast<std::size_t>(bytes));
        if (copy.conjugates) there[bytes - 1] ^= '\x80';  // the sign of the imaginary part
      }
    }
  });
}

}  // namespace rooftile::distributed

namespace rooftile::cuda_native {

namespace {

template <class T>
void multiply(cudaStream_t stream, Scalar<T> alpha, MatrixRef<const T> A, MatrixRef<const T> B,
              Scalar<T> beta, MatrixRef<T> C) {
  put_done(stream, [=] {
    for (Index i = 0; i < C.rows; ++i) {
      for (Index j = 0; j < C.cols; ++j) {
        Scalar<T> sum(0);
        for (Index l = 0; l < A.cols; ++l) sum += Scalar<T>(A.value(i, l)) * Scalar<T>(B.value(l, j));
        sum = alpha * sum;
        if (beta != Scalar<T>(0)) sum += beta * Scalar<T>(C.value(i, j));
        C(i, j) = detail::conjugated_if(detail::reads_conjugates(C), T(sum));
      }
    }
  });
}

}  // namespace

void gemm(cudaStream_t stream, float alpha, MatrixRef<const float> A, MatrixRef<const float> B, float beta,
          MatrixRef<float> C, const GemmOptions&) {
  multiply<float>(stream, alpha, A, B, beta, C);
}
void gemm(cudaStream_t stream, double alpha, MatrixRef<const double> A, MatrixRef<const double> B,
          double beta, MatrixRef<double> C, const GemmOptions&) {
  multiply<double>(stream, alpha, A, B, beta, C);
}
void gemm(cudaStream_t stream, float alpha, MatrixRef<const float16> A, MatrixRef<const float16> B,
          float beta, MatrixRef<float16> C, const GemmOptions&) {
  multiply<float16>(stream, alpha, A, B, beta, C);
}
void gemm(cudaStream_t stream, float alpha, MatrixRef<const bfloat16> A, MatrixRef<const bfloat16> B,
          float beta, MatrixRef<bfloat16> C, const GemmOptions&) {
  multiply<bfloat16>(stream, alpha, A, B, beta, C);
}
void gemm(cudaStream_t stream, complex<float> alpha, MatrixRef<const complex<float>> A,
          MatrixRef<const complex<float>> B, complex<float> beta, MatrixRef<complex<float>> C,
          const GemmOptions&) {
  multiply<complex<float>>(stream, alpha, A, B, beta, C);
}
void gemm(cudaStream_t stream, complex<double> alpha, MatrixRef<const complex<double>> A,
          MatrixRef<const complex<double>> B, complex<double> beta, MatrixRef<complex<double>> C,
          const GemmOptions&) {
  multiply<complex<double>>(stream, alpha, A, B, beta, C);
}

template <class T>
GemmPlan explain(cudaStream_t, const BatchArgs<T>&, const GemmOptions&) {
  return {};
}
template GemmPlan explain(cudaStream_t, const BatchArgs<float>&, const GemmOptions&);
template GemmPlan explain(cudaStream_t, const BatchArgs<double>&, const GemmOptions&);
template GemmPlan explain(cudaStream_t, const BatchArgs<float16>&, const GemmOptions&);
template GemmPlan explain(cudaStream_t, const BatchArgs<bfloat16>&, const GemmOptions&);
template GemmPlan explain(cudaStream_t, const BatchArgs<complex<float>>&, const GemmOptions&);
template GemmPlan explain(cudaStream_t, const BatchArgs<complex<double>>&, const GemmOptions&);

}  // namespace rooftile::cuda_native
