// SoftgpuCore: the software GPUs of this process as the core of a HIP runtime. Its functions are defined by topic:
// copy.cpp, device.cpp, graph.cpp, image.cpp, launch.cpp, memory.cpp, module.cpp, shared_memory.cpp, state.cpp and
// stream.cpp. What they work on is state().
#pragma once

#include "runtime/core.h"

namespace hipr::softgpu {

class SoftgpuCore : public Core {
 public:
  hipError_t open(const Platform** platform) override;
  hipError_t lost() const override { return hipSuccess; }  // it is this very process
  void forgetAfterFork() override;
  void leave(platform::Ending ending) override;

  hipError_t submit(Stream& stream, const Operation& operation, Stage until) override;
  void fence(int device) override;
  hipError_t synchronize(int device) override;

  hipError_t create(Stream& stream) override;
  hipError_t destroy(Stream& stream) override;
  hipError_t synchronize(Stream& stream) override;
  hipError_t query(Stream& stream) override;
  std::unique_ptr<StreamPoint> point(Stream& stream) override;
  hipError_t create(Event& event) override;
  hipError_t destroy(Event& event) override;
  hipError_t synchronize(Event& event) override;
  hipError_t query(Event& event) override;
  hipError_t elapsed(Event& start, Event& stop, float* milliseconds) override;

  hipError_t create(GraphExec& exec) override;
  hipError_t update(GraphExec& exec, std::span<const std::uint32_t> steps) override;
  hipError_t destroy(GraphExec& exec) override;

  hipError_t reset(int device, bool alone) override;
  hipError_t setLimit(int device, hipLimit_t limit, std::size_t value) override;
  hipError_t setPeerAccess(int device, int peer, bool enabled) override;
  hipError_t memoryInfo(int device, std::size_t* free, std::size_t* total) override;

  hipError_t allocate(Allocation& allocation) override;
  hipError_t release(const Allocation& allocation) override;

  hipError_t create(Array& array) override;
  hipError_t create(Texture& texture) override;
  hipError_t destroy(Array& array) override;
  hipError_t destroy(Texture& texture) override;

  hipError_t share(const Allocation& allocation, SharedName& name, std::size_t& offset) override;
  hipError_t openShared(const SharedName& name, Allocation& whole) override;
  hipError_t closeShared(const Allocation& whole) override;

  hipError_t load(Module& module) override;
  hipError_t unload(Module& module) override;
  hipError_t variable(Module& module, const std::string& name, void** address) override;

  hipError_t memAddressReserve(void** address, std::size_t size, std::size_t alignment, void* hint) override;
  hipError_t memAddressFree(void* address, std::size_t size) override;
  hipError_t memCreate(std::uint64_t* physical, std::size_t size, const hipMemAllocationProp& prop) override;
  hipError_t memRelease(std::uint64_t physical) override;
  hipError_t memMap(void* address, std::size_t size, std::size_t offset, std::uint64_t physical) override;
  hipError_t memUnmap(void* address, std::size_t size) override;
  hipError_t memSetAccess(void* address, std::size_t size, const hipMemAccessDesc* descriptions,
                          std::size_t count) override;
  std::size_t memGranularity(int device) override;
  hipError_t memExport(std::uint64_t physical, int* descriptor) override;
  hipError_t memImport(int descriptor, int device, std::uint64_t* physical, std::size_t* size) override;

 private:
  hipError_t perform(const Copy& copy, Stream& stream, Stage until);
  hipError_t perform(const Fill& fill, Stream& stream, Stage until);
  hipError_t perform(const Launch& launch, Stream& stream, Stage until);
  hipError_t perform(const Record& record, Stream& stream, Stage until);
  hipError_t perform(const Wait& wait, Stream& stream, Stage until);
  hipError_t perform(const HostFunction& function, Stream& stream, Stage until);
  hipError_t perform(const GraphLaunch& launch, Stream& stream, Stage until);
  hipError_t perform(const WordSteps& steps, Stream& stream, Stage until);
};

}  // namespace hipr::softgpu
