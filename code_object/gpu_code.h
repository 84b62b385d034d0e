// GpuCode: code for one GPU target as a runtime sees it, whatever format it comes in. Launch checks, the layout of
// kernel arguments, occupancy and the choice among several targets ask only this. AMD's format is CodeObject
// (code_object.h). Immutable, so it may be shared between threads. It borrows the bytes it was made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "code_object/bytes.h"

namespace hipr::code {

// XXH3-128 of the whole file: the name under which a worker keeps it.
struct ContentHash {
  std::uint64_t low = 0, high = 0;
  std::string hex() const;
  bool operator==(const ContentHash&) const = default;
};
ContentHash hashContent(Bytes bytes);

struct Variable {
  std::string name;
  std::uint64_t address = 0;  // relative to the load base
  std::uint64_t size = 0;
  // For `__managed__ T x`: this variable is the 8-byte pointer the runtime fills, and its initial value lies here.
  bool managed = false;
  std::uint64_t initialAddress = 0;
  std::uint64_t initialSize = 0;
};

// What a kernel needs of the device.
struct Resources {
  std::uint32_t maxGroupSize = 0;  // work-items it was compiled for; 0: not said
  std::uint32_t sharedBytes = 0;   // per group, without what a launch adds
  std::uint32_t privateBytes = 0;  // per work-item
  std::uint32_t registers = 0;     // per work-item
  bool equalGroups = false;        // it was compiled for groups that are all of the same size
};

// A unit of a device that runs work-groups.
struct Unit {
  std::string_view target;  // of the device, "gfx90a:sramecc+:xnack-"
  int lanes = 0;            // that run together
};

class GpuKernel {
 public:
  virtual ~GpuKernel() = default;
  virtual const std::string& name() const = 0;
  virtual Resources resources() const = 0;
  // How many groups of that many work-items it can run at once, as far as registers go.
  virtual int groupsPerUnit(const Unit& unit, int groupSize) const = 0;
  virtual bool wantsBarrierAcrossDevices() const = 0;

  // Where the argument of that index lies among all that a program passes; nothing when there are fewer.
  struct Place {
    std::uint32_t offset = 0, size = 0;
  };
  virtual std::optional<Place> argument(std::size_t index) const = 0;

  // Arguments as a program passes them to a launch. REQUIRES for both: room.size() >= argumentBytes().
  virtual std::uint32_t argumentBytes() const = 0;
  virtual std::vector<std::size_t> argumentOffsets() const = 0;
  virtual Status packParams(void* const* params, std::span<std::byte> room) const = 0;  // one pointer per argument
  virtual Status packBuffer(Bytes buffer, std::span<std::byte> room) const = 0;         // all of them in one piece
};

class GpuCode {
 public:
  virtual ~GpuCode() = default;

  virtual Bytes bytes() const = 0;
  virtual std::vector<const GpuKernel*> allKernels() const = 0;
  virtual const GpuKernel* kernel(std::string_view name) const = 0;  // null when there is none of that name
  virtual const std::vector<Variable>& variables() const = 0;
  virtual const Variable* findVariable(std::string_view name) const = 0;
  // What [address, address + size) holds before anything runs. Bytes that the file does not give are zero.
  virtual std::vector<std::byte> initialBytes(std::uint64_t address, std::uint64_t size) const = 0;

  ContentHash hash() const { return hashContent(bytes()); }
};

// In whichever format the bytes are. REQUIRES: they outlive the result.
Status parseCode(Bytes bytes, std::unique_ptr<const GpuCode>& out);

}  // namespace hipr::code
