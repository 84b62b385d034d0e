// The parts every call goes through, each alone, measured by Google Benchmark: where to look when hip-remote-bench
// shows that a call has become slower. `--benchmark_out=FILE` writes JSON.
#include <benchmark/benchmark.h>

#include <vector>

#include "client/device_heap.h"
#include "code_object/code_object.h"
#include "runtime/allocation_map.h"
#include "testing/hip.h"
#include "wire/messages.h"

namespace hipr {
namespace {

void encodeLaunch(benchmark::State& state) {
  const std::vector<std::byte> arguments(static_cast<std::size_t>(state.range(0)));
  const wire::LaunchKernel launch{
      .stream = 1, .function = 2, .groups = {64, 1, 1}, .block = {256, 1, 1}, .arguments = arguments};
  wire::Buffer buffer;
  for (auto _ : state) {
    buffer.clear();
    wire::BasicWriter<wire::Buffer>(buffer).put(launch);
    benchmark::DoNotOptimize(buffer.data());
  }
}
BENCHMARK(encodeLaunch)->Arg(64)->Arg(4096);

void decodeLaunch(benchmark::State& state) {
  const std::vector<std::byte> arguments(static_cast<std::size_t>(state.range(0)));
  wire::Buffer buffer;
  wire::BasicWriter<wire::Buffer>(buffer).put(wire::LaunchKernel{.stream = 1, .function = 2, .arguments = arguments});
  for (auto _ : state) {
    wire::LaunchKernel launch;
    wire::Reader reader(buffer.bytes());
    reader.get(launch);
    if (!reader.ok()) state.SkipWithError("malformed");
    benchmark::DoNotOptimize(launch);
  }
}
BENCHMARK(decodeLaunch)->Arg(64)->Arg(4096);

void allocateAndRelease(benchmark::State& state) {
  client::DeviceHeap::Calls calls{.map = [](auto, auto) {},
                                  .unmap = [](auto) {},
                                  .askCredit = [](std::uint64_t, std::uint64_t) { return std::uint64_t{0}; },
                                  .now = [] { return client::Moment(); },
                                  .waitFor = [](const client::Moment&) {}};
  client::DeviceHeap heap(std::uint64_t{1} << 40, std::uint64_t{1} << 40, 2 << 20, std::uint64_t{1} << 36, calls);
  for (auto _ : state) {
    const std::uint64_t address = heap.allocate(static_cast<std::size_t>(state.range(0)));
    if (!address) state.SkipWithError("out of memory");
    heap.release(address);
  }
}
BENCHMARK(allocateAndRelease)->Arg(256)->Arg(3 << 20);

void findAllocation(benchmark::State& state) {
  AllocationMap map;
  const auto at = [](std::int64_t i) { return reinterpret_cast<std::byte*>((i + 1) << 24); };
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    Region region;
    region.allocation.devicePointer = at(i);
    region.allocation.size = 1 << 20;
    map.insert(region);
  }
  std::int64_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(map.find(at(i++ % state.range(0)) + 1000));
}
BENCHMARK(findAllocation)->Arg(2)->Arg(10000);

void parseCodeObject(benchmark::State& state) {
  const auto* image = static_cast<const std::byte*>(testing::kernelImage());
  const code::Bytes bytes(image, testing::kernelImageSize());
  for (auto _ : state) {
    code::CodeObject object;
    if (!code::CodeObject::parse(bytes, object).ok()) state.SkipWithError("malformed");
    benchmark::DoNotOptimize(object);
  }
}
BENCHMARK(parseCodeObject);

}  // namespace
}  // namespace hipr

BENCHMARK_MAIN();
