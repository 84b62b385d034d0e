// Kernel arguments: from what an application passes to a launch to the kernarg segment the kernel reads.
// Placement is driven by the metadata's offsets alone, so code object versions 4, 5 and 6 need no cases of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "code_object/bytes.h"
#include "code_object/metadata.h"

namespace hipr::code {

// Bytes from the start of the kernarg segment to the end of the last argument the application passes. A kernel whose
// metadata lists no arguments at all (hand-written assembly) has its whole segment filled by the application.
std::uint32_t explicitSize(const KernelMetadata& kernel);

std::uint32_t explicitCount(const KernelMetadata& kernel);

// kernelParams of hipModuleLaunchKernel: one pointer per explicit argument.
// REQUIRES: params has explicitCount() pointers to values of their arguments' sizes; kernarg.size() >= explicitSize().
Status packParams(const KernelMetadata& kernel, void* const* params, std::span<std::byte> kernarg);

// The `extra` list of hipModuleLaunchKernel ({1, buffer, 2, &size, 3}, in any order) as a view of its buffer.
// REQUIRES: extra is terminated, and the buffer it names is as long as it says.
Status parseExtra(void* const* extra, Bytes& buffer);

// Copies an `extra` buffer. It may be longer than the explicit part (structs have tail padding) but not shorter.
Status packBuffer(const KernelMetadata& kernel, Bytes buffer, std::span<std::byte> kernarg);

// What a runtime knows about one launch, for the hidden arguments.
struct HiddenValues {
  std::uint32_t blockCount[3] = {1, 1, 1};  // whole workgroups
  std::uint16_t groupSize[3] = {1, 1, 1};
  std::uint16_t remainder[3] = {};  // size of a last partial workgroup
  std::uint16_t gridDims = 1;
  std::uint64_t globalOffset[3] = {};
  std::uint64_t printfBuffer = 0;
  std::uint64_t hostcallBuffer = 0;
  std::uint64_t heapV1 = 0;
  std::uint64_t defaultQueue = 0;
  std::uint64_t completionAction = 0;
  std::uint64_t multigridSyncArg = 0;
  std::uint64_t queuePtr = 0;
  std::uint32_t dynamicLdsSize = 0;
  std::uint32_t privateBase = 0, sharedBase = 0;  // high halves of the apertures

  // For a grid given in work-items. REQUIRES: group[i] is not 0.
  static HiddenValues forGrid(const std::uint32_t (&workItems)[3], const std::uint32_t (&group)[3]);
};

// REQUIRES: kernarg.size() >= kernel.kernargSize.
Status fillHidden(const KernelMetadata& kernel, const HiddenValues& values, std::span<std::byte> kernarg);

}  // namespace hipr::code
