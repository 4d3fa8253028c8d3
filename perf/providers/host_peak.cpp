// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "host_peak.hpp"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#endif

#include "cpu/simd.hpp"

namespace rooftile::perf {
namespace {

template <class T>
T chains(T seed) {
  return fma_chains<host_chains>(typename portable::Simd<T>::Vector{} + seed)[0];
}

float read(const float* ones, std::size_t count, int times) {
  using V = portable::Simd<float>;
  V::Vector sums[host_sums] = {};
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < count; i += host_sums * V::lanes) {
      portable::unrolled<host_sums>([&](auto s) __attribute__((always_inline)) {
        sums[s] += V::load(ones + i + s * V::lanes);
      });
    }
  }
  float sum = 0;
  for (const V::Vector& x : sums) {
    for (int lane = 0; lane < V::lanes; ++lane) sum += x[lane];
  }
  return sum;
}

#if defined(__AVX512BF16__) && defined(__AVX512VNNI__)
constexpr auto pairs_of_bf16 = []() -> float {
  __m512i ones = _mm512_set1_epi32(0x3F803F80);
  __m512 d[host_chains];
  for (int c = 0; c < host_chains; ++c) d[c] = _mm512_set1_ps(static_cast<float>(c));
  for (int step = 0; step < fma_steps; ++step) {
    asm("" : "+v"(ones));  // hides from the compiler that `ones` is constant
    portable::unrolled<host_chains>([&](auto c) __attribute__((always_inline)) {
      d[c] = _mm512_dpbf16_ps(d[c], reinterpret_cast<__m512bh>(ones), reinterpret_cast<__m512bh>(ones));
    });
  }
  for (int c = 1; c < host_chains; ++c) d[0] = _mm512_add_ps(d[0], d[c]);
  return _mm512_cvtss_f32(d[0]);
};
constexpr auto fours_of_int8 = []() -> std::int32_t {
  __m512i ones = _mm512_set1_epi32(0x01010101), d[host_chains];
  for (int c = 0; c < host_chains; ++c) d[c] = _mm512_set1_epi32(c);
  for (int step = 0; step < fma_steps; ++step) {
    asm("" : "+v"(ones));
    portable::unrolled<host_chains>([&](auto c) __attribute__((always_inline)) {
      d[c] = _mm512_dpbusd_epi32(d[c], ones, ones);
    });
  }
  for (int c = 1; c < host_chains; ++c) d[0] = _mm512_add_epi32(d[0], d[c]);
  return _mm512_cvtsi512_si32(d[0]);
};
#else
constexpr float (*pairs_of_bf16)() = nullptr;
constexpr std::int32_t (*fours_of_int8)() = nullptr;
#endif

}  // namespace
}  // namespace rooftile::perf

constinit const rooftile::perf::HostPeak ROOFTILE_IN_SET(rooftile_host_peak){
    rooftile::portable::vector_bytes, rooftile::perf::chains<float>, rooftile::perf::chains<double>,
    rooftile::perf::pairs_of_bf16,    rooftile::perf::fours_of_int8, rooftile::perf::read};
