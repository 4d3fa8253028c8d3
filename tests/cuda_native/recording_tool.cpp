// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
// A tool that NVTX loads (NVTX_INJECTION64_PATH). It records ranges.
#include <string>

#include <nvtx3/nvToolsExt.h>

namespace {

std::string events;

nvtxDomainHandle_t create_domain(const char* name) {
  static const std::string domain = name;  // the library has one domain
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<std::string*>(&domain));
}

int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  events += "begin " + *reinterpret_cast<const std::string*>(domain) + ' ' + event->message.ascii + '\n';
  return 0;
}

int pop(nvtxDomainHandle_t) {
  events += "end\n";
  return 0;
}

}  // namespace

extern "C" {

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t find) {
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(find(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0) return 0;
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(&create_domain);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(&push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(&pop);
  return 1;
}

/// Returns the events since the last call, one per line.
const char* take_events() {
  static std::string taken;
  taken.clear();
  taken.swap(events);
  return taken.c_str();
}

}  // extern "C"
