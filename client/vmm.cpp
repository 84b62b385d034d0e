// RemoteCore: virtual memory management. All of it is posted; only memory beyond the credit has to be asked for.
#include "client/remote_core.h"

namespace hipr::client {
using wire::Opcode;

namespace {

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

}  // namespace

std::size_t RemoteCore::memGranularity(int) {
  Session& s = session();
  return s.placesMemory() ? s.virtualMemory().granularity() : 0;
}

hipError_t RemoteCore::memAddressReserve(void** address, std::size_t size, std::size_t alignment, void*) {
  const std::uint64_t got = session().virtualMemory().reserve(size, alignment);
  *address = reinterpret_cast<void*>(got);
  return got ? hipSuccess : hipErrorOutOfMemory;
}

hipError_t RemoteCore::memAddressFree(void* address, std::size_t size) {
  session().virtualMemory().free(number(address), size);
  return hipSuccess;
}

hipError_t RemoteCore::memCreate(std::uint64_t* physical, std::size_t size, const hipMemAllocationProp& prop) {
  Session& s = session();
  const int device = prop.location.id;
  if (!s.heap(device).takeCredit(size)) return hipErrorOutOfMemory;
  *physical = s.virtualMemory().create(device, size);
  s.connection().post<Opcode::kCreatePhysical>({*physical, device, size});
  return hipSuccess;
}

hipError_t RemoteCore::memRelease(std::uint64_t physical) {
  Session& s = session();
  s.connection().post<Opcode::kReleasePhysical>({physical});
  if (const auto ended = s.virtualMemory().release(physical)) s.heap(ended->device).giveCredit(ended->size);
  return hipSuccess;
}

hipError_t RemoteCore::memMap(void* address, std::size_t size, std::size_t, std::uint64_t physical) {
  Session& s = session();
  // The worker unmaps when what could use the memory is done. Something else can be mapped there only then.
  for (const Moment& users : s.virtualMemory().usersOf(number(address), size))
    if (const hipError_t error = s.waitFor(users); error != hipSuccess) return error;
  s.virtualMemory().map(number(address), size, physical);
  s.connection().post<Opcode::kMapPhysical>({physical, number(address), size});
  return hipSuccess;
}

hipError_t RemoteCore::memUnmap(void* address, std::size_t) {
  Session& s = session();
  s.connection().post<Opcode::kUnmapPhysical>({number(address)});
  if (const auto ended = s.virtualMemory().unmap(number(address), s.streams().now()))
    s.heap(ended->device).giveCredit(ended->size);
  return hipSuccess;
}

hipError_t RemoteCore::memSetAccess(void* address, std::size_t size, const hipMemAccessDesc* descriptions,
                                    std::size_t count) {
  wire::SetMemoryAccess message{.address = number(address), .size = size};
  for (std::size_t i = 0; i < count; ++i) {
    if (descriptions[i].location.type != hipMemLocationTypeDevice) continue;
    message.devices.push_back(descriptions[i].location.id);
    message.flags.push_back(static_cast<std::uint8_t>(descriptions[i].flags));
  }
  if (!message.devices.empty()) session().connection().post<Opcode::kSetMemoryAccess>(message);
  return hipSuccess;
}

}  // namespace hipr::client
