// Kernel metadata of a code object: what the compiler tells the runtime about each kernel and its arguments.
// A file may carry many notes (one per kernel in libraries built from assembly); all are merged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "code_object/bytes.h"

namespace hipr::code {

// How an argument is set up. Hidden kinds come after kHiddenFirst; the runtime, not the application, provides them.
enum class ArgKind : std::uint8_t {
  kUnknown,
  kByValue,
  kGlobalBuffer,
  kDynamicSharedPointer,
  kSampler,
  kImage,
  kPipe,
  kQueue,
  kHiddenFirst,
  kHiddenNone = kHiddenFirst,
  kHiddenUnknown,
  kHiddenGlobalOffsetX,
  kHiddenGlobalOffsetY,
  kHiddenGlobalOffsetZ,
  kHiddenPrintfBuffer,
  kHiddenHostcallBuffer,
  kHiddenDefaultQueue,
  kHiddenCompletionAction,
  kHiddenMultigridSyncArg,
  kHiddenBlockCountX,  // from here on: code object version 5 and later
  kHiddenBlockCountY,
  kHiddenBlockCountZ,
  kHiddenGroupSizeX,
  kHiddenGroupSizeY,
  kHiddenGroupSizeZ,
  kHiddenRemainderX,
  kHiddenRemainderY,
  kHiddenRemainderZ,
  kHiddenGridDims,
  kHiddenHeapV1,
  kHiddenDynamicLdsSize,
  kHiddenPrivateBase,
  kHiddenSharedBase,
  kHiddenQueuePtr,
};

ArgKind argKindFromName(std::string_view name);
const char* argKindName(ArgKind kind);

enum class AddressSpace : std::uint8_t { kUnstated, kPrivate, kGlobal, kConstant, kLocal, kGeneric, kRegion };
enum class Access : std::uint8_t { kUnstated, kReadOnly, kWriteOnly, kReadWrite };

struct KernelArg {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  ArgKind kind = ArgKind::kUnknown;
  AddressSpace addressSpace = AddressSpace::kUnstated;
  Access actualAccess = Access::kUnstated;
  bool isConst = false;
  std::uint32_t pointeeAlign = 0;
  std::string name;      // often empty
  std::string typeName;  // often empty

  bool hidden() const { return kind >= ArgKind::kHiddenFirst; }
};

enum class KernelKind : std::uint8_t { kNormal, kInit, kFini };

struct KernelMetadata {
  std::string name;
  std::string symbol;  // name of the descriptor: NAME.kd
  KernelKind kind = KernelKind::kNormal;
  std::uint32_t kernargSize = 0;
  std::uint32_t kernargAlign = 0;
  std::uint32_t groupFixedSize = 0;
  std::uint32_t privateFixedSize = 0;
  std::uint32_t wavefrontSize = 0;
  std::uint32_t maxFlatWorkgroupSize = 0;
  std::uint32_t requiredWorkgroupSize[3] = {};  // 0: not required
  std::uint32_t sgprCount = 0, vgprCount = 0, agprCount = 0;
  std::uint32_t sgprSpillCount = 0, vgprSpillCount = 0;
  bool usesDynamicStack = false;
  bool uniformWorkgroupSize = false;
  bool workgroupProcessorMode = false;  // its groups may use both halves of a work-group processor
  std::vector<KernelArg> args;          // in the file's order; every [offset, offset + size) is inside kernargSize
};

struct Metadata {
  std::uint32_t versionMajor = 0, versionMinor = 0;  // 1.1 = code object 4, 1.2 = 5 and 6
  std::string target;                                // "amdgcn-amd-amdhsa--gfx90a", as written
  std::vector<KernelMetadata> kernels;
  std::vector<std::string> printfFormats;  // amdhsa.printf: "id:argCount:size:...:format"
};

// Adds the contents of one metadata note to `out`.
Status parseMetadataNote(Bytes note, Metadata& out);

Status parseMetadata(std::span<const Bytes> notes, Metadata& out);

}  // namespace hipr::code
