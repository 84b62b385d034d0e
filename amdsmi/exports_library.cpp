// Starting and ending, sockets and processors, what a status is called.
#include <algorithm>

#include "amdsmi/exports.h"
#include "amdsmi/pci.h"

namespace hipr::smi {
namespace {

constexpr std::uint32_t kGpuProcessor = 1;

// Null asks for the count; an array shorter than the list is filled as far as it goes.
template <class List, class Address>
Code giveHandles(const List& list, std::uint32_t* count, Handle* out, Address address) {
  const auto size = static_cast<std::uint32_t>(list.size());
  if (!out) {
    *count = size;
    return kSuccess;
  }
  *count = std::min(*count, size);
  std::transform(list.begin(), list.begin() + *count, out, address);
  return kSuccess;
}

template <class T>
Handle handleOf(const T& object) {
  return const_cast<T*>(&object);
}

Code processorsOf(Handle socketHandle, std::uint32_t* count, Handle* out) {
  return guarded([&]() -> Code {
    const Socket* socket = nullptr;
    if (const Code code = state().find(socketHandle, socket); code != kSuccess) return code;
    if (!count) return kInvalid;
    return giveHandles(socket->devices, count, out, [](Device* device) { return device; });
  });
}

struct StatusName {
  Code code;
  const char* text;
};
constexpr StatusName kStatusNames[] = {
    {kSuccess, "AMDSMI_STATUS_SUCCESS: the call succeeded"},
    {kInvalid, "AMDSMI_STATUS_INVAL: an argument is invalid"},
    {kNotSupported, "AMDSMI_STATUS_NOT_SUPPORTED: this is not supported"},
    {kIo, "AMDSMI_STATUS_IO: the worker cannot be read from"},
    {kOutOfResources, "AMDSMI_STATUS_OUT_OF_RESOURCES: the array is too short, or memory has run out"},
    {kInternalException, "AMDSMI_STATUS_INTERNAL_EXCEPTION: an exception inside the library"},
    {kNotFound, "AMDSMI_STATUS_NOT_FOUND: no such device"},
    {kNotInitialized, "AMDSMI_STATUS_NOT_INIT: amdsmi_init has not been called"},
    {kNoDriver, "AMDSMI_STATUS_DRIVER_NOT_LOADED: the worker cannot be reached"},
    {kTooSmall, "AMDSMI_STATUS_INSUFFICIENT_SIZE: the buffer is too small"},
};

}  // namespace
}  // namespace hipr::smi

using namespace hipr::smi;

SMI_EXPORT amdsmi_init(std::uint64_t flags) {
  return guarded([&] { return state().start(flags); });
}

SMI_EXPORT amdsmi_shut_down() {
  return guarded([] { return state().stop(); });
}

SMI_EXPORT amdsmi_get_lib_version(Version* version) {
  if (!version) return kInvalid;
  *version = caller::kVersion;
  version->build = "hip-remote " HIPR_VERSION;
  return kSuccess;
}

SMI_EXPORT amdsmi_status_code_to_string(Code code, const char** text) {
  if (!text) return kInvalid;
  const auto name = std::ranges::find(kStatusNames, code, &StatusName::code);
  *text = name == std::end(kStatusNames) ? "an AMDSMI status this library does not use" : name->text;
  return kSuccess;
}

// We hand out no arrays that would need it.
extern "C" HIPR_EXPORTED void amdsmi_free_name_value_pairs(void*) {}

SMI_EXPORT amdsmi_get_socket_handles(std::uint32_t* count, Handle* sockets) {
  return guarded([&]() -> Code {
    if (!state().running()) return kNotInitialized;
    if (!count) return kInvalid;
    return giveHandles(state().sockets(), count, sockets, handleOf<Socket>);
  });
}

SMI_EXPORT amdsmi_get_socket_info(Handle handle, std::size_t size, char* name) {
  return guarded([&]() -> Code {
    const Socket* socket = nullptr;
    const Code code = state().find(handle, socket);
    return code == kSuccess ? giveText(name, size, socket->name) : code;
  });
}

SMI_EXPORT amdsmi_get_processor_handles(Handle socket, std::uint32_t* count, Handle* processors) {
  return processorsOf(socket, count, processors);
}

SMI_EXPORT amdsmi_get_processor_handles_by_type(Handle socket, std::uint32_t type, Handle* processors,
                                                std::uint32_t* count) {
  if (type == kGpuProcessor) return processorsOf(socket, count, processors);
  if (!count) return kInvalid;
  *count = 0;
  return guarded([&] { return state().running() ? kNotSupported : kNotInitialized; });
}

SMI_EXPORT amdsmi_get_processor_type(Handle handle, std::uint32_t* type) {
  return onGpu(handle, type, [&](const Device&) {
    *type = kGpuProcessor;
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_processor_info(Handle handle, std::size_t size, char* name) {
  return onGpu(handle, name, [&](const Device& device) { return giveText(name, size, std::to_string(device.index)); });
}

SMI_EXPORT amdsmi_get_processor_count_from_handles(Handle* handles, std::uint32_t* count, std::uint32_t* sockets,
                                                   std::uint32_t* cores, std::uint32_t* gpus) {
  return guarded([&]() -> Code {
    if (!state().running()) return kNotInitialized;
    if (!handles || !count || !sockets || !cores || !gpus) return kInvalid;
    *sockets = *cores = *gpus = 0;
    for (std::uint32_t i = 0; i < *count; ++i) {
      const Device* device = nullptr;
      if (const Code code = state().find(handles[i], device); code != kSuccess) return code;
      ++*gpus;
    }
    return kSuccess;
  });
}

SMI_EXPORT amdsmi_get_processor_handle_from_bdf(std::uint64_t bdf, Handle* handle) {
  return guarded([&]() -> Code {
    if (!state().running()) return kNotInitialized;
    if (!handle) return kInvalid;
    for (const Device& device : state().devices())
      if (packedBdf(device.gpu->bdf) == bdf) {
        *handle = handleOf(device);
        return kSuccess;
      }
    return kNotFound;
  });
}
