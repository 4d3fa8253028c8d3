// SPDX-FileCopyrightText: The Rooftile authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nvtx3/nvToolsExt.h>

/// NVTX ranges, which show calls in Nsight and other NVTX tools.
namespace rooftile::cuda_native {

/// Returns the NVTX domain of the library; null if no tool is attached.
inline nvtxDomainHandle_t nvtx_domain() {
  static const nvtxDomainHandle_t domain = nvtxDomainCreateA("rooftile");
  return domain;
}

/// An NVTX range of the calling thread, until the end of the scope.
class Range {
 public:
  /// @param name  returns the name of the range; only called if a tool is attached
  template <class Name>
  explicit Range(const Name& name) : domain_(nvtx_domain()) {
    if (domain_ == nullptr) return;
    const std::string text = name();
    nvtxEventAttributes_t event = {};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = text.c_str();
    nvtxDomainRangePushEx(domain_, &event);
  }
  ~Range() {
    if (domain_ != nullptr) nvtxDomainRangePop(domain_);
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  nvtxDomainHandle_t domain_;
};

}  // namespace rooftile::cuda_native
