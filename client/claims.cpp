#include "client/claims.h"

#include <bit>

#include "runtime/api.h"

namespace hipr::client {
namespace {

constexpr std::uint64_t kPage = 4096, kMostGranularity = std::uint64_t{1} << 30, kAddressSpace = std::uint64_t{1} << 47;

bool overlap(std::uint64_t a, std::uint64_t sizeOfA, std::uint64_t b, std::uint64_t sizeOfB) {
  return a < b + sizeOfB && b < a + sizeOfA;
}

Status impossible(const std::string& what) {
  return Status::invalid("the worker's greeting is impossible: " + what);
}

// Occupancy, launches and block sizes are computed from these.
Status checkDevice(const hipDeviceProp_tR0600& props) {
  const auto within = [](std::int64_t value, std::int64_t least, std::int64_t most) {
    return value >= least && value <= most;
  };
  if (props.warpSize != 32 && props.warpSize != 64) return impossible("waves of " + std::to_string(props.warpSize));
  if (!within(props.multiProcessorCount, 1, 1 << 20)) return impossible("the number of compute units");
  if (!within(props.maxThreadsPerBlock, 1, 1 << 20) || !within(props.maxThreadsPerMultiProcessor, 1, 1 << 20))
    return impossible("the number of threads");
  for (int i = 0; i < 3; ++i)
    if (props.maxThreadsDim[i] < 1 || props.maxGridSize[i] < 1) return impossible("the size of blocks and grids");
  if (props.totalGlobalMem > kAddressSpace) return impossible("the size of the memory");
  return {};
}

}  // namespace

Status checkGreeting(const wire::Hello& hello, const wire::HelloReply& reply, const Platform& platform) {
  if (reply.credits.size() != platform.devices.size()) return impossible("credits for other devices than there are");
  for (const DeviceInfo& device : platform.devices)
    if (Status status = checkDevice(device.props); !status.ok()) return status;
  for (const std::uint64_t credit : reply.credits)
    if (credit > kAddressSpace) return impossible("a credit of " + std::to_string(credit) + " bytes");
  if (!reply.deviceBase) return {};  // the runtime places memory itself
  if (!std::has_single_bit(reply.granularity) || reply.granularity < kPage || reply.granularity > kMostGranularity)
    return impossible("a granularity of " + std::to_string(reply.granularity));
  if (reply.deviceSize != hello.deviceSize || reply.deviceBase % reply.granularity ||
      reply.deviceBase > kAddressSpace - hello.deviceSize ||
      overlap(reply.deviceBase, reply.deviceSize, hello.hostBase, hello.hostSize))
    return impossible("the range of addresses for device memory");
  return {};
}

bool plausibleAddress(std::uint64_t address, std::uint64_t size, std::uint64_t ourBase, std::uint64_t ourSize) {
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 57;
  return address >= kPage && size <= kEnd && address <= kEnd - size && !overlap(address, size, ourBase, ourSize);
}

hipError_t errorFrom(std::int32_t status) {
  const auto error = static_cast<hipError_t>(status);
  const char* name = nullptr;
  return api::hipDrvGetErrorName(error, &name) == hipSuccess ? error : hipErrorUnknown;
}

}  // namespace hipr::client
