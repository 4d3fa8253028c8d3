// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
//
// In place of the driver's library: one GPU, at bus 1, whose SMs have 1,980 MHz and which takes 645 W.
#include <cstring>

extern "C" {
[[gnu::visibility("default")]] int nvmlInit_v2() {
  return 0;
}
[[gnu::visibility("default")]] int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** gpu) {
  static int one;
  *gpu = &one;
  return std::strcmp(bus, "0000:01:00.0") == 0 ? 0 : 6;
}
[[gnu::visibility("default")]] int nvmlDeviceGetClockInfo(void* gpu, int of, unsigned* mhz) {
  *mhz = of == 1 ? 1980 : 2619;
  return gpu == nullptr ? 2 : 0;
}
[[gnu::visibility("default")]] int nvmlDeviceGetPowerUsage(void* gpu, unsigned* milliwatts) {
  *milliwatts = 645000;
  return gpu == nullptr ? 2 : 0;
}
}
