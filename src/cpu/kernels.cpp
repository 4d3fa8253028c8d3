// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels.hpp"

/// The kernels of the instruction set that this file is compiled for. Their table is the only symbol that
/// other objects use.
namespace rooftile::portable {
namespace {

template <class T>
constexpr KernelsOf<T> of_numbers{
    .cache_blocks = cache_blocks<T>,
    .pack = pack<T, T>,
    .copy_by_rows = copy_by_rows<T>,
    .multiply_block = multiply_block<T>,
    .multiply_unpacked = multiply_unpacked<T>,
    .multiply_dots = multiply_dots<T>,
    .multiply_skinny_m = multiply_skinny_m<T>,
};

template <Converted E>
constexpr KernelsOf<E> of_converted{
    .pack = pack<E, Scalar<E>>,
    .copy_by_rows = copy_by_rows<E>,
    .update_by_rows = update_by_rows<E>,
};

template <ComplexElement T>
constexpr KernelsOf<T> of_complex{
    .pack = pack<T, T>,
    .copy_by_rows = copy_by_rows<T>,
    .multiply_block = multiply_block<T>,
    .multiply_unpacked = multiply_unpacked<T>,
};

}  // namespace
}  // namespace rooftile::portable

using namespace rooftile::portable;

constinit const CpuKernels ROOFTILE_IN_SET(rooftile_cpu_kernels){{of_numbers<float>,
                                                                  of_numbers<double>,
                                                                  of_converted<rooftile::float16>,
                                                                  of_converted<rooftile::bfloat16>,
                                                                  of_complex<rooftile::complex<float>>,
                                                                  of_complex<rooftile::complex<double>>,
                                                                  {.pack = pack<float, double>}},
                                                                 multiplies_pairs,
                                                                 pack_pairs,
                                                                 multiply_pairs,
                                                                 pack_integers,
                                                                 multiply_integers};
