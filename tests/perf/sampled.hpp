// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fake_device.hpp"
#include "perf/measure/sampler.hpp"

/// What the tests of `perf::sample` measure.
namespace rooftile::testing {

template <class T>
void right(const GemmArgs<T>& args) {
  multiply(args);
}

template <class T>
void nothing(const GemmArgs<T>&) {}

/// One product, measured with some kernels.
template <class T>
struct Bench {
  FakeDevice device;
  GemmShape shape{20, 12, 9};
  Scalar<T> beta = 0;
  Index batch = 1;
  perf::Places places = perf::Places::at_distances;
  perf::Sampling sampling{};
  std::vector<std::string> said;

  std::vector<perf::Result> run(std::vector<FakeKernel<T>*> kernels) {
    perf::Operands<T> operands(device, shape, {"rcr"}, 1, beta, seed, batch, places);
    std::vector<perf::Candidate<T>> candidates;
    for (FakeKernel<T>* kernel : kernels) candidates.push_back(kernel->on(device));
    std::vector<const perf::Candidate<T>*> pointers;
    for (const perf::Candidate<T>& candidate : candidates) pointers.push_back(&candidate);
    return perf::sample(pointers, operands, sampling,
                        [this](const std::string& text) { said.push_back(text); });
  }
  perf::Result run(FakeKernel<T>& kernel) { return run(std::vector{&kernel})[0]; }
};

}  // namespace rooftile::testing
