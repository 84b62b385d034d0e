// What a wave finds in its registers when it starts.
#include "backends/softgpu/isa/resident.h"

namespace hipr::softgpu {
namespace {

// Bits of the descriptor's properties.
constexpr unsigned kPrivateBuffer = 1, kDispatchPtr = 2, kQueuePtr = 4, kKernargPtr = 8, kDispatchId = 16,
                   kFlatScratchInit = 32, kPrivateSize = 64;

// Fills SGPRs from the first one on; what does not fit into the user SGPRs is not initialised.
class UserRegisters {
 public:
  UserRegisters(Wave& w, unsigned count) : wave_(w), count_(count) {}
  void word(std::uint32_t value) {
    if (next_ < count_) wave_.s[next_] = value;
    ++next_;
  }
  void pair(std::uint64_t value) {
    word(static_cast<std::uint32_t>(value));
    word(static_cast<std::uint32_t>(value >> 32));
  }

 private:
  Wave& wave_;
  unsigned count_;
  unsigned next_ = 0;
};

void userRegisters(Wave& w, const Dispatch& d, unsigned count) {
  const KernelDescriptor& k = d.kernel.descriptor;
  UserRegisters user(w, count);
  if (k.properties & kPrivateBuffer) {
    // A buffer descriptor over this wave's scratch: swizzled, one dword per lane (index stride 64), lane id added.
    user.pair((w.scratch.begin & 0xffffffffffff) | 1ull << 63);
    user.word(0xffffffff);
    user.word(3u << 21 | 1u << 23);
  }
  if (k.properties & kDispatchPtr) user.pair(d.dispatchPacket);
  if (k.properties & kQueuePtr) user.pair(d.queue);
  if (k.properties & kKernargPtr) user.pair(d.kernarg);
  if (k.properties & kDispatchId) user.pair(d.dispatchId);
  if (k.properties & kFlatScratchInit) user.pair(w.scratch.begin);
  unsigned preload = k.kernargPreload & 0x7f;
  std::uint64_t from = d.kernarg + 4ull * (k.kernargPreload >> 7);
  for (unsigned n = 0; n < preload; ++n) {
    std::uint32_t value = 0;
    if (const Region* region = reachable(w, from + 4 * n, 4))
      std::memcpy(&value, reinterpret_cast<const void*>(from + 4 * n + region->shift), 4);
    user.word(value);
  }
  if (k.properties & kPrivateSize) user.word(w.scratchBytes);
}

}  // namespace

void initialRegisters(Wave& w, const Workgroup& group, const std::uint32_t size[3], unsigned index) {
  const Dispatch& d = w.shared->dispatch;
  const KernelDescriptor& k = d.kernel.descriptor;
  fillConstants(w);
  setMode(w, (k.rsrc1 >> 12 & 0xff) | (k.rsrc1 >> 21 & 1) << 8 | (k.rsrc1 >> 23 & 1) << 9);
  unsigned system = k.rsrc2 >> 1 & 31;  // system SGPRs follow the user ones
  userRegisters(w, d, system);
  for (unsigned dim = 0; dim < 3; ++dim)
    if (k.rsrc2 >> (7 + dim) & 1) w.s[system++] = group.id[dim];
  if (k.rsrc2 >> 10 & 1) w.s[system++] = (index == 0 ? 1u << 26 : 0) | group.waves;
  // The scratch wave offset: the base given above is already this wave's.
  bool architected = w.shared->gpu == Gpu::kGfx942;
  if ((k.rsrc2 & 1) && !architected) w.s[system++] = 0;
  w.setPair(kFlatScratchLo, w.scratch.begin);

  std::uint32_t items = size[0] * size[1] * size[2], first = index * kLanes;
  std::uint32_t count = items - first < kLanes ? items - first : kLanes;
  std::uint32_t x = first % size[0], y = first / size[0] % size[1], z = first / size[0] / size[1];
  if (size[0] == items)
    for (unsigned l = 0; l < count; ++l) w.v[l] = first + l;
  for (unsigned l = 0; size[0] < items && l < count; ++l) {
    w.v[l] = x | y << 10 | z << 20;
    if (++x < size[0]) continue;
    x = 0;
    if (++y < size[1]) continue;
    y = 0;
    ++z;
  }
  std::uint64_t exec = count < kLanes ? (1ull << count) - 1 : ~0ull;
  w.setPair(kExecLo, exec);
}

KernelDescriptor KernelDescriptor::parse(std::span<const std::byte, 64> bytes) {
  KernelDescriptor d;
  auto read = [&](auto& field, std::size_t at) { std::memcpy(&field, bytes.data() + at, sizeof field); };
  read(d.groupSegmentBytes, 0);
  read(d.privateSegmentBytes, 4);
  read(d.kernargBytes, 8);
  read(d.entryOffset, 16);
  read(d.rsrc3, 44);
  read(d.rsrc1, 48);
  read(d.rsrc2, 52);
  read(d.properties, 56);
  read(d.kernargPreload, 58);
  return d;
}

}  // namespace hipr::softgpu
