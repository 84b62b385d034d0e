// Copies of two and three dimensions, in the runtime's and the driver's shapes.
#include "abi/translate.h"
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

constexpr std::size_t kPitch = 256, kWidth = 100, kHeight = 4, kDepth = 2;

struct Sides {
  void* to;
  const void* from;
};

// A box in memory of either side; the driver's shapes say which.
hipPitchedPtr pitched(const void* address) {
  return {const_cast<void*>(address), kPitch, kWidth, kHeight};
}

hipMemcpy3DParms box(const Sides& sides) {
  hipMemcpy3DParms p{};
  p.dstPtr = pitched(sides.to);
  p.srcPtr = pitched(sides.from);
  p.extent = {kWidth, kHeight, kDepth};
  p.kind = hipMemcpyDefault;
  return p;
}

hipMemcpy3DPeerParms peerBox(const Sides& sides, int to) {
  hipMemcpy3DPeerParms p{};
  p.dstPtr = pitched(sides.to);
  p.srcPtr = pitched(sides.from);
  p.dstDevice = to;
  p.extent = {kWidth, kHeight, kDepth};
  return p;
}

// Version 5 counts from the host, later ones from memory nobody knows.
hipMemoryType memoryType(Scene& s, bool host) {
  const int type = host ? hipMemoryTypeHost : hipMemoryTypeDevice;
  return static_cast<hipMemoryType>(s.abi == 5 ? type - 1 : type);
}

template <class Shape>
Shape driverShape(Scene& s, const Sides& sides) {
  Shape p{};
  const bool toHost = sides.to == s.host.data(), fromHost = sides.from == s.host.data();
  p.dstMemoryType = static_cast<decltype(p.dstMemoryType)>(memoryType(s, toHost));
  p.srcMemoryType = static_cast<decltype(p.srcMemoryType)>(memoryType(s, fromHost));
  (toHost ? p.dstHost : p.dstDevice) = sides.to;
  if (fromHost) {
    p.srcHost = sides.from;
  } else {
    p.srcDevice = const_cast<void*>(sides.from);
  }
  p.dstPitch = p.srcPitch = kPitch;
  p.WidthInBytes = kWidth;
  p.Height = kHeight;
  if constexpr (requires { p.Depth; }) {
    p.dstHeight = p.srcHeight = kHeight;
    p.Depth = kDepth;
  }
  return p;
}

template <class F, class... Rest>
void driverBox(Scene& s, F f, const Sides& sides, Rest... rest) {
  const auto shape = driverShape<HIP_MEMCPY3D>(s, sides);
  const auto shape5 = driverShape<abi::Memcpy3D5>(s, sides);  // of other widths in version 5
  s.call(f, s.abi == 5 ? reinterpret_cast<const HIP_MEMCPY3D*>(&shape5) : &shape, rest...);
}

// The directions that matter, for anything that copies between two addresses.
template <class Row, class Copy>
void addDirections(Row row, bool asynchronous, Copy copy) {
  row.standard("device to host", [=](Scene& s, auto f) { copy(s, f, Sides{s.host.data(), s.device}); })
      .post("host to device", [=](Scene& s, auto f) { copy(s, f, Sides{s.device, s.host.data()}); })
      .post("device to device", [=](Scene& s, auto f) { copy(s, f, Sides{s.device, s.other}); });
  const auto toPinned = [=](Scene& s, auto f) { copy(s, f, Sides{s.pinned, s.device}); };
  asynchronous ? row.post("device to pinned", toPinned) : row.standard("device to pinned", toPinned);
}

}  // namespace

void addCopyShapeRows(Book& book) {
  addDirections(ROW(hipMemcpy2D), false, [](Scene& s, auto f, const Sides& sides) {
    s.call(f, sides.to, kPitch, sides.from, kPitch, kWidth, kHeight, hipMemcpyDefault);
  });
  addDirections(ROW(hipMemcpy2DAsync), true, [](Scene& s, auto f, const Sides& sides) {
    s.call(f, sides.to, kPitch, sides.from, kPitch, kWidth, kHeight, hipMemcpyDefault, s.stream);
  });
  addDirections(ROW(hipMemcpy3D), false, [](Scene& s, auto f, const Sides& sides) {
    const hipMemcpy3DParms shape = box(sides);
    s.call(f, &shape);
  });
  addDirections(ROW(hipMemcpy3DAsync), true, [](Scene& s, auto f, const Sides& sides) {
    const hipMemcpy3DParms shape = box(sides);
    s.call(f, &shape, s.stream);
  });
  addDirections(ROW(hipMemcpyParam2D), false, [](Scene& s, auto f, const Sides& sides) {
    const auto shape = driverShape<hip_Memcpy2D>(s, sides);
    s.call(f, &shape);
  });
  addDirections(ROW(hipMemcpyParam2DAsync), true, [](Scene& s, auto f, const Sides& sides) {
    const auto shape = driverShape<hip_Memcpy2D>(s, sides);
    s.call(f, &shape, s.stream);
  });
  addDirections(ROW(hipDrvMemcpy2DUnaligned), false, [](Scene& s, auto f, const Sides& sides) {
    const auto shape = driverShape<hip_Memcpy2D>(s, sides);
    s.call(f, &shape);
  });
  addDirections(ROW(hipDrvMemcpy3D), false, [](Scene& s, auto f, const Sides& sides) { driverBox(s, f, sides); });
  addDirections(ROW(hipDrvMemcpy3DAsync), true,
                [](Scene& s, auto f, const Sides& sides) { driverBox(s, f, sides, s.stream); });
  ROW(hipMemcpy3DPeer)
      .standard("device to host",
                [](Scene& s, auto f) {
                  auto shape = peerBox({s.host.data(), s.device}, 0);
                  s.call(f, &shape);
                })
      .post("between two devices", [](Scene& s, auto f) {
        auto shape = peerBox({s.away, s.device}, 1);
        s.call(f, &shape);
      });
  ROW(hipMemcpy3DPeerAsync)
      .standard("device to host",
                [](Scene& s, auto f) {
                  auto shape = peerBox({s.host.data(), s.device}, 0);
                  s.call(f, &shape, s.stream);
                })
      .post("between two devices", [](Scene& s, auto f) {
        auto shape = peerBox({s.away, s.device}, 1);
        s.call(f, &shape, s.stream);
      });
}

}  // namespace hipr::rows
