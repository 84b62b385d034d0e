// What can be known of a GPU, in one set of units, whatever library it comes from. A value that a source does not
// have is absent: no sentinel leaves a source. fields() lists what travels, in its order (wire/stream.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace hipr::telemetry {

template <class T>
using Maybe = std::optional<T>;

// Where a figure comes from, so that a reader can tell a measurement from a model.
enum class Origin : std::uint8_t { Hardware, Software };

// What does not change while the driver is loaded. Strings are empty where unknown.
struct Gpu {
  Origin origin = Origin::Hardware;
  std::string name;    // "AMD Instinct MI210"
  std::string vendor;  // "AMD", "NVIDIA"
  std::string uuid;    // unique across machines, stable across restarts, a valid RFC 1123 label
  std::string serial;  // hexadecimal digits
  std::string target;  // "gfx90a"; for NVIDIA "sm_90"
  std::string bdf;     // "0000:03:00.0"
  std::string driverName, driverVersion, firmwareVersion;
  std::string boardName, boardModel, manufacturer;
  std::string renderNode;  // "/dev/dri/renderD128"
  std::string memoryType;  // "HBM2e"
  Maybe<std::uint32_t> vendorId, deviceId, subsystemVendorId, subsystemId, revisionId;
  std::uint64_t memoryBytes = 0;
  Maybe<std::uint32_t> memoryBusBits;
  Maybe<std::uint32_t> computeUnits;
  Maybe<std::uint32_t> maxEngineMHz, maxMemoryMHz;
  Maybe<std::uint32_t> maxPcieGeneration, maxPcieWidth;
  Maybe<double> powerCapWatts, minPowerCapWatts, maxPowerCapWatts;
  Maybe<double> slowdownCelsius, shutdownCelsius;
  Maybe<std::int32_t> numaNode;
  Maybe<std::uint32_t> hipDevice;  // the number under which clients of this worker see it

  static auto fields(auto& m) {
    return std::tie(m.origin, m.name, m.vendor, m.uuid, m.serial, m.target, m.bdf, m.driverName, m.driverVersion,
                    m.firmwareVersion, m.boardName, m.boardModel, m.manufacturer, m.renderNode, m.memoryType,
                    m.vendorId, m.deviceId, m.subsystemVendorId, m.subsystemId, m.revisionId, m.memoryBytes,
                    m.memoryBusBits, m.computeUnits, m.maxEngineMHz, m.maxMemoryMHz, m.maxPcieGeneration,
                    m.maxPcieWidth, m.powerCapWatts, m.minPowerCapWatts, m.maxPowerCapWatts, m.slowdownCelsius,
                    m.shutdownCelsius, m.numaNode, m.hipDevice);
  }
};

// What changes, at one moment.
struct Reading {
  std::uint64_t takenNs = 0;  // CLOCK_MONOTONIC of the sampling machine
  Maybe<double> powerWatts;
  Maybe<double> energyJoules;  // since the driver was loaded
  Maybe<double> edgeCelsius, hotspotCelsius, memoryCelsius;
  Maybe<double> busyPercent, memoryBusyPercent, mediaBusyPercent;
  Maybe<std::uint32_t> engineMHz, memoryMHz, socMHz;
  Maybe<std::uint64_t> memoryUsedBytes;
  Maybe<std::uint32_t> fanPercent, fanRpm;
  Maybe<std::uint32_t> voltageMillivolts;
  Maybe<std::uint32_t> pcieGeneration, pcieWidth;
  Maybe<std::uint64_t> pcieReceivedBytes, pcieSentBytes;      // per second
  Maybe<std::uint64_t> fabricReceivedBytes, fabricSentBytes;  // XGMI or NVLink, per second
  Maybe<std::uint64_t> correctableErrors, uncorrectableErrors;
  Maybe<bool> throttled;

  static auto fields(auto& m) {
    return std::tie(m.takenNs, m.powerWatts, m.energyJoules, m.edgeCelsius, m.hotspotCelsius, m.memoryCelsius,
                    m.busyPercent, m.memoryBusyPercent, m.mediaBusyPercent, m.engineMHz, m.memoryMHz, m.socMHz,
                    m.memoryUsedBytes, m.fanPercent, m.fanRpm, m.voltageMillivolts, m.pcieGeneration, m.pcieWidth,
                    m.pcieReceivedBytes, m.pcieSentBytes, m.fabricReceivedBytes, m.fabricSentBytes, m.correctableErrors,
                    m.uncorrectableErrors, m.throttled);
  }
};

// One process on one GPU. `gpu` is an index into Source::gpus().
struct Process {
  std::uint32_t gpu = 0;
  std::uint64_t pid = 0;  // on the machine with the GPU
  std::string name;
  std::string client;  // host:pid of the remote program, when it is a session of ours
  std::uint64_t memoryBytes = 0;
  Maybe<double> busyPercent;
  Maybe<std::uint32_t> computeUnits;  // occupied now

  static auto fields(auto& m) {
    return std::tie(m.gpu, m.pid, m.name, m.client, m.memoryBytes, m.busyPercent, m.computeUnits);
  }
};

enum class LinkKind : std::uint8_t { Unknown, Pcie, Fabric };

// How `from` reaches `to`, indices into Source::gpus().
struct Link {
  std::uint32_t from = 0, to = 0;
  LinkKind kind = LinkKind::Unknown;
  Maybe<std::uint32_t> hops, weight;
  Maybe<std::uint64_t> bytesPerSecond;
  Maybe<bool> accessible;  // peer to peer

  static auto fields(auto& m) {
    return std::tie(m.from, m.to, m.kind, m.hops, m.weight, m.bytesPerSecond, m.accessible);
  }
};

}  // namespace hipr::telemetry
