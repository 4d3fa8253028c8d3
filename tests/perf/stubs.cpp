// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A stub of NVML, the driver's library: one GPU at bus 1, with SM clocks of 1,980 MHz and a power of 645 W. A
// stub of CUPTI: functions that fail with their own error numbers.
#include <cstring>

#define ROOFTILE_STUB [[gnu::visibility("default")]] int

extern "C" {
ROOFTILE_STUB nvmlInit_v2() {
  return 0;
}
ROOFTILE_STUB nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** gpu) {
  static int one;
  *gpu = &one;
  return std::strcmp(bus, "0000:01:00.0") == 0 ? 0 : 6;
}
ROOFTILE_STUB nvmlDeviceGetClockInfo(void* gpu, int of, unsigned* mhz) {
  *mhz = of == 1 ? 1980 : 2619;
  return gpu == nullptr ? 2 : 0;
}
ROOFTILE_STUB nvmlDeviceGetPowerUsage(void* gpu, unsigned* milliwatts) {
  *milliwatts = 645000;
  return gpu == nullptr ? 2 : 0;
}
ROOFTILE_STUB stub_no_privileges(void*) {
  return 35;
}
ROOFTILE_STUB stub_busy(void*) {
  return 26;
}
}
