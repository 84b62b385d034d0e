// RemoteCore: memory that other processes have too, if they use the same worker. The worker knows it by a secret, which
// is what travels between the processes; whose machines they are on does not matter.
#include <cstring>

#include "base/log.h"
#include "client/remote_core.h"
#include "platform/process.h"

namespace hipr::client {
using wire::Opcode;

namespace {

// What a descriptor of memExport has behind it.
struct Note {
  char kind[8] = {'h', 'i', 'p', 'r', 'm', 'e', 'm', '1'};
  SharedName name{};
};

SharedName nameOf(const wire::ShareMemoryReply& shared) {
  return {shared.secret[0], shared.secret[1], shared.size};
}

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

hipError_t notPlaced() {
  static LogOnce once;
  once.error("the worker's runtime cannot place memory; processes cannot share it");
  return hipErrorNotSupported;
}

}  // namespace

hipError_t RemoteCore::share(const Allocation& allocation, SharedName& name, std::size_t& offset) {
  Session& s = session();
  if (!s.placesMemory()) return notPlaced();
  s.sharesMemory = true;
  const auto address = reinterpret_cast<std::uint64_t>(allocation.devicePointer);
  wire::ShareMemoryReply reply;
  if (!s.connection().call<Opcode::kShareMemory>({address}, reply)) return kLost;
  if (reply.status != hipSuccess) return errorFrom(reply.status);
  if (address < reply.begin || address - reply.begin >= reply.size) {
    s.connection().loseAndRest(Status::invalid("shared memory at an impossible address"));
    return kLost;
  }
  name = nameOf(reply);
  offset = address - reply.begin;
  return hipSuccess;
}

hipError_t RemoteCore::openPhysical(const SharedName& name, int device, std::uint64_t* physical) {
  Session& s = session();
  const std::uint64_t size = name[2];
  const std::uint64_t unit = s.virtualMemory().granularity();
  if (size == 0 || size % unit != 0) return hipErrorInvalidDevicePointer;
  s.sharesMemory = true;
  if (!s.heap(device).takeCredit(size)) return hipErrorOutOfMemory;
  *physical = s.virtualMemory().create(device, size);
  wire::Done done;
  if (!s.connection().call<Opcode::kOpenPhysical>({*physical, device, {name[0], name[1]}, size}, done)) return kLost;
  if (done.status == hipSuccess) return hipSuccess;
  if (s.virtualMemory().release(*physical)) s.heap(device).giveCredit(size);
  return errorFrom(done.status);
}

hipError_t RemoteCore::openShared(const SharedName& name, Allocation& whole) {
  Session& s = session();
  if (!s.placesMemory()) return notPlaced();
  std::uint64_t physical = 0;
  if (const hipError_t error = openPhysical(name, whole.device, &physical); error != hipSuccess) return error;
  const std::uint64_t size = name[2], address = s.virtualMemory().reserve(size, 0);
  const hipError_t error = address ? memMap(pointer(address), size, 0, physical) : hipErrorOutOfMemory;
  memRelease(physical);  // what is mapped stays
  if (error != hipSuccess) return error;
  std::vector<hipMemAccessDesc> everybody;
  for (int device = 0; device < static_cast<int>(s.platform().devices.size()); ++device)
    if (device == whole.device || s.platform().peer(device, whole.device).canAccess)
      everybody.push_back({{hipMemLocationTypeDevice, device}, hipMemAccessFlagsProtReadWrite});
  memSetAccess(pointer(address), size, everybody.data(), everybody.size());
  whole.size = size;
  whole.devicePointer = pointer(address);
  return hipSuccess;
}

hipError_t RemoteCore::closeShared(const Allocation& whole) {
  memUnmap(whole.devicePointer, whole.size);
  return memAddressFree(whole.devicePointer, whole.size);
}

hipError_t RemoteCore::memExport(std::uint64_t physical, int* descriptor) {
  wire::ShareMemoryReply reply;
  session().sharesMemory = true;
  if (!session().connection().call<Opcode::kSharePhysical>({physical}, reply)) return kLost;
  if (reply.status != hipSuccess) return errorFrom(reply.status);
  Note note;
  note.name = nameOf(reply);
  *descriptor = platform::makeNote(std::string(reinterpret_cast<const char*>(&note), sizeof note));
  return *descriptor >= 0 ? hipSuccess : hipErrorNotSupported;
}

hipError_t RemoteCore::memImport(int descriptor, int device, std::uint64_t* physical, std::size_t* size) {
  const std::string bytes = platform::readNote(descriptor, sizeof(Note));
  Note note;
  if (bytes.size() != sizeof note || std::memcmp(bytes.data(), note.kind, sizeof note.kind) != 0)
    return hipErrorInvalidValue;
  std::memcpy(&note, bytes.data(), sizeof note);
  *size = note.name[2];
  const hipError_t error = openPhysical(note.name, device, physical);
  return error == hipErrorInvalidDevicePointer ? hipErrorInvalidValue : error;
}

}  // namespace hipr::client
