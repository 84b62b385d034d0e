// A libamd_smi of some version (FAKE_MAJOR, FAKE_MINOR) with two GPUs. The first has everything; of the second nothing
// is known: its structures are full of "not available", its single values are refused.
#include <algorithm>
#include <cstring>

#include "amdsmi/types_26.h"
#include "amdsmi/types_27.h"
#include "tests/smi/old_types.h"

namespace {

#if FAKE_MAJOR == 24 && FAKE_MINOR < 7
namespace types = fake::v24_5;
#elif FAKE_MAJOR == 24
namespace types = fake::v24_7;
#else
namespace types {
#if FAKE_MAJOR == 26
using namespace hipr::smi::abi26;
#else
using namespace hipr::smi::abi27;
#endif
inline constexpr std::uint32_t kHbm = 1;
}  // namespace types
#endif

constexpr bool kOld = FAKE_MAJOR < 25;
constexpr std::uint64_t kCapScale = FAKE_MAJOR == 24 && FAKE_MINOR < 5 ? 1 : 1'000'000;  // watts once, now microwatts

int users = 0;
struct Object {
  int number;
};
Object sockets[2] = {{0}, {1}}, gpus[2] = {{0}, {1}};

std::uint32_t check(void* handle) {
  if (users == 0) return 32;
  return handle == &gpus[0] ? 0 : handle == &gpus[1] ? 2 : 31;
}

// Writes a structure of exactly its size for the first GPU, all ones for the second.
template <class T, class Fill>
std::uint32_t answer(void* handle, void* out, Fill fill) {
  const std::uint32_t code = check(handle);
  if (code == 31 || code == 32) return code;
  T& value = *static_cast<T*>(out);
  std::memset(static_cast<void*>(&value), code == 0 ? 0 : 0xFF, sizeof value);
  if (code == 0) fill(value);
  return 0;
}

template <class T>
std::uint32_t single(void* handle, T* out, T value) {
  const std::uint32_t code = check(handle);
  if (code == 0) *out = value;
  return code;
}

template <std::size_t kSize>
void text(char (&out)[kSize], const char* value) {
  std::strncpy(out, value, kSize - 1);
}

std::uint32_t handles(Object (&list)[2], int first, int size, std::uint32_t* count, void** out) {
  if (users == 0) return 32;
  if (out)
    for (int i = 0; i < size; ++i) out[i] = &list[first + i];
  *count = static_cast<std::uint32_t>(size);
  return 0;
}

}  // namespace

#define FAKE extern "C" [[gnu::visibility("default")]] std::uint32_t

FAKE amdsmi_init(std::uint64_t flags) {
  if (flags & ~std::uint64_t{2}) return 47;  // this machine has no driver for CPUs
  ++users;
  return 0;
}
FAKE amdsmi_shut_down() {
  if (users == 0) return 32;
  users = kOld ? 0 : users - 1;
  return 0;
}
FAKE amdsmi_get_lib_version(hipr::smi::Version* version) {
  if (kOld && users == 0) return 32;
  *version = {{FAKE_MAJOR, FAKE_MINOR, 2, 0}, "fake"};
  return 0;
}
FAKE amdsmi_get_socket_handles(std::uint32_t* count, void** out) {
  return handles(sockets, 0, 2, count, out);
}
FAKE amdsmi_get_processor_handles(void* socket, std::uint32_t* count, void** out) {
  return handles(gpus, static_cast<Object*>(socket)->number, 1, count, out);
}
FAKE amdsmi_get_processor_type(void*, std::uint32_t* type) {
  *type = 1;
  return 0;
}

FAKE amdsmi_get_gpu_asic_info(void* handle, void* out) {
  return answer<types::Asic>(handle, out, [](auto& asic) {
    text(asic.name, "AMD Instinct MI210");
    asic.vendorId = 0x1002;
    asic.subvendorId = 0x1002;
    asic.deviceId = 0x740f;
    asic.revision = 2;
    text(asic.serial, "0x18B6F2C000A1D3E4");
    if constexpr (requires { asic.computeUnits; }) asic.computeUnits = 104;
    if constexpr (requires { asic.target; }) asic.target = kOld ? 942 : 0x90a;
    if constexpr (requires { asic.subsystemId; }) asic.subsystemId = 0x0c34;
  });
}
FAKE amdsmi_get_gpu_board_info(void* handle, void* out) {
  return answer<types::Board>(handle, out, [](auto& board) {
    text(board.model, "102-D67301");
    text(board.product, "Instinct board");
    text(board.manufacturer, "AMD");
  });
}
FAKE amdsmi_get_gpu_driver_info(void* handle, void* out) {
  return answer<types::Driver>(handle, out, [](auto& driver) {
    text(driver.version, "6.12.12");
    text(driver.name, "amdgpu");
  });
}
FAKE amdsmi_get_gpu_vbios_info(void* handle, void* out) {
  return answer<types::Vbios>(handle, out, [](auto& vbios) { text(vbios.version, "022.040.003"); });
}
FAKE amdsmi_get_gpu_vram_info(void* handle, void* out) {
  return answer<types::Vram>(handle, out, [](auto& vram) {
    vram.type = types::kHbm;
    vram.megabytes = 65520;
    if constexpr (requires { vram.bits; }) vram.bits = 4096;
  });
}
FAKE amdsmi_get_power_cap_info(void* handle, std::uint32_t, void* out) {
  return answer<hipr::smi::PowerCap>(
      handle, out, [](auto& cap) { cap = {300 * kCapScale, 300 * kCapScale, 1700, 0, 330 * kCapScale, {}}; });
}
FAKE amdsmi_get_clock_info(void* handle, std::uint32_t type, void* out) {
  return answer<types::Clock>(handle, out, [type](auto& clock) {
    clock.now = type == 3 ? 1090 : 500;
    clock.most = type == 0 ? 1700 : 1600;
  });
}
FAKE amdsmi_get_pcie_info(void* handle, void* out) {
  return answer<hipr::smi::Pcie>(handle, out, [](auto& pcie) {
    pcie.maxWidth = 16;
    pcie.maxSpeed = 16000;
    pcie.width = 8;
    pcie.speed = 8000;
  });
}
FAKE amdsmi_get_gpu_device_bdf(void* handle, std::uint64_t* bdf) {
  *bdf = handle == &gpus[0] ? 0x0000'c3'00 : 0x0001'83'08;
  return 0;
}
FAKE amdsmi_get_gpu_device_uuid(void* handle, unsigned* size, char* out) {
  if (*size < 38) return 1;
  std::strcpy(out,
              handle == &gpus[0] ? "18FF740F-0000-1000-80B6-F2C000A1D3E4" : "FFFF740F-0000-1000-80FF-FFFFFFFFFFFF");
  return 0;
}
FAKE amdsmi_get_gpu_topo_numa_affinity(void* handle, std::int32_t* node) {
  return single(handle, node, 1);
}
FAKE amdsmi_get_gpu_memory_usage(void* handle, std::uint32_t, std::uint64_t* used) {
  return single(handle, used, std::uint64_t{3} << 30);
}
FAKE amdsmi_get_gpu_fan_speed(void* handle, std::uint32_t, std::int64_t* speed) {
  return single(handle, speed, std::int64_t{102});
}
FAKE amdsmi_get_gpu_fan_speed_max(void* handle, std::uint32_t, std::uint64_t* most) {
  return single(handle, most, std::uint64_t{255});
}
FAKE amdsmi_get_temp_metric(void* handle, std::uint32_t sensor, std::uint32_t metric, std::int64_t* celsius) {
  if (metric == 0 && sensor != 0) return 2;
  return single(handle, celsius, std::int64_t{metric == 5 ? 100 : metric == 7 ? 105 : 38});
}
FAKE amdsmi_get_gpu_total_ecc_count(void* handle, void* out) {
  return answer<hipr::smi::Errors>(handle, out, [](auto& errors) {
    errors.correctable = 7;
    errors.uncorrectable = 1;
  });
}
FAKE amdsmi_get_power_info(void* handle, void* out) {
  return answer<types::Power>(handle, out, [](auto& power) {
    power.current = 0xFFFF;  // the mark of a 16-bit reading in a wider field
    power.average = 95;
    power.engineVoltage = 806;
  });
}
FAKE amdsmi_get_gpu_metrics_info(void* handle, void* out) {
  return answer<types::Metrics>(handle, out, [](auto& metrics) {
    std::memset(static_cast<void*>(&metrics), 0xFF, sizeof metrics);
    metrics.head.hotspot = 51;
    metrics.head.memoryTemperature = 47;
    metrics.head.engineBusy = 83;
    metrics.head.memoryBusy = 200;  // beyond a percentage
    metrics.head.energy = 1'000'000;
    metrics.head.memoryClock = 1600;
    metrics.head.throttle = 0;
    metrics.throttleReasons = 4;
    metrics.engineClocks[0] = 1655;
    static std::uint64_t traffic = 0;
    traffic += 1000;
    metrics.fabricRead[0] = traffic;
    metrics.fabricWritten[0] = 2 * traffic;
  });
}
FAKE amdsmi_get_gpu_process_list(void* handle, std::uint32_t* count, void* out) {
  constexpr std::uint32_t kProcesses = 300;  // more than a first question has room for
  if (const std::uint32_t code = check(handle)) return code;
  const std::uint32_t room = std::min(*count, kProcesses);
  auto* list = static_cast<types::Process*>(out);
  const auto fill = [](auto& process, std::uint32_t i) {
    std::memset(static_cast<void*>(&process), 0, sizeof process);
    text(process.name, "python3");
    process.pid = 65535 + i;  // 0xFFFF is a process like any other
    process.memory = 4096;
    process.vram = i == 0 ? 0 : 1 << 20;
    if constexpr (requires { process.computeUnits; }) process.computeUnits = i == 0 ? 0xFFFFFFFF : 12;
  };
  for (std::uint32_t i = 0; i < room; ++i) fill(list[i], i);
  const bool short_ = *count < kProcesses;
  *count = kProcesses;
  return short_ ? 15 : 0;
}
FAKE amdsmi_topo_get_link_type(void*, void*, std::uint64_t* hops, std::uint32_t* type) {
  *hops = 1;
  *type = 2;
  return 0;
}
FAKE amdsmi_topo_get_link_weight(void* from, void*, std::uint64_t* weight) {
  return single(from, weight, std::uint64_t{15});
}
FAKE amdsmi_is_P2P_accessible(void* from, void*, bool* accessible) {
  return single(from, accessible, true);
}
FAKE amdsmi_get_minmax_bandwidth_between_processors(void* from, void*, std::uint64_t* least, std::uint64_t* most) {
  *least = 50'000;
  return single(from, most, std::uint64_t{100'000});
}
