// What the runtime knows of a pointer: device, pinned, registered, managed and unknown memory, and the attribute
// queries.
#include "support.h"

TEST(device_memory) {
  Buffer<char> d(1000);
  hipPointerAttribute_t a = {};
  HIP(hipPointerGetAttributes(&a, d + 10));
  EXPECT_EQ(a.memoryType, hipMemoryTypeDevice);
  EXPECT_EQ(a.device, 0);
  EXPECT_EQ(a.devicePointer, static_cast<void*>(d + 10));
  EXPECT_EQ(a.hostPointer, static_cast<void*>(nullptr));
  EXPECT_EQ(a.isManaged, 0);
}

TEST(pinned_memory) {
  char* p = nullptr;
  HIP(hipHostMalloc(reinterpret_cast<void**>(&p), 1000, hipHostMallocMapped));
  hipPointerAttribute_t a = {};
  HIP(hipPointerGetAttributes(&a, p + 10));
  EXPECT_EQ(a.memoryType, hipMemoryTypeHost);
  EXPECT_EQ(a.hostPointer, static_cast<void*>(p + 10));
  EXPECT(a.devicePointer != nullptr);
  EXPECT_EQ(a.isManaged, 0);
  HIP(hipHostFree(p));
  HIP_ERR(hipPointerGetAttributes(&a, p), hipErrorInvalidValue);
}

TEST(registered_memory) {
  std::vector<char> v(10000);
  hipPointerAttribute_t a = {};
  HIP_ERR(hipPointerGetAttributes(&a, v.data()), hipErrorInvalidValue);
  HIP(hipHostRegister(v.data(), v.size(), hipHostRegisterDefault));
  HIP(hipPointerGetAttributes(&a, v.data()));
  EXPECT_EQ(a.memoryType, hipMemoryTypeHost);
  EXPECT_EQ(a.hostPointer, static_cast<void*>(v.data()));
  HIP(hipHostUnregister(v.data()));
  HIP_ERR(hipPointerGetAttributes(&a, v.data()), hipErrorInvalidValue);
}

TEST(managed_memory) {
  char* p = nullptr;
  HIP(hipMallocManaged(reinterpret_cast<void**>(&p), 1000, hipMemAttachGlobal));
  hipPointerAttribute_t a = {};
  HIP(hipPointerGetAttributes(&a, p));
  EXPECT_EQ(a.isManaged, 1);
  EXPECT_EQ(a.devicePointer, static_cast<void*>(p));
  EXPECT_EQ(a.hostPointer, static_cast<void*>(p));
  EXPECT_EQ(a.allocationFlags, 0u);
  unsigned type = 99;
  HIP(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  EXPECT_EQ(type, unsigned(hipMemoryTypeHost));
  HIP(hipFree(p));
}

TEST(unknown_pointers) {
  hipPointerAttribute_t a = {};
  int onStack = 0;
  a.device = 7;
  HIP_ERR(hipPointerGetAttributes(&a, &onStack), hipErrorInvalidValue);
  EXPECT_EQ(a.device, 0);  // nothing is left of what was there
  HIP_ERR(hipPointerGetAttributes(nullptr, &onStack), hipErrorInvalidValue);
  char* p = nullptr;
  HIP(hipMalloc(reinterpret_cast<void**>(&p), 100));
  HIP(hipFree(p));
  HIP_ERR(hipPointerGetAttributes(&a, p), hipErrorInvalidValue);
}

TEST(single_attributes) {
  Buffer<char> d(5000);
  void* pointer = nullptr;
  HIP(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, d + 7));
  EXPECT_EQ(pointer, static_cast<void*>(d + 7));
  HIP(hipPointerGetAttribute(&pointer, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, d + 7));
  EXPECT_EQ(pointer, static_cast<void*>(d.get()));
  std::size_t size = 0;
  HIP(hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, d + 7));
  EXPECT_EQ(size, std::size_t(5000));
  unsigned type = 99;
  HIP(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, d.get()));
  EXPECT_EQ(type, unsigned(hipMemoryTypeDevice));
  int ordinal = -1;
  HIP(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, d.get()));
  EXPECT_EQ(ordinal, 0);
  bool isManaged = true, mapped = false;
  HIP(hipPointerGetAttribute(&isManaged, HIP_POINTER_ATTRIBUTE_IS_MANAGED, d.get()));
  EXPECT_EQ(isManaged, false);
  HIP(hipPointerGetAttribute(&mapped, HIP_POINTER_ATTRIBUTE_MAPPED, d.get()));
  EXPECT_EQ(mapped, true);
  HIP_ERR(hipPointerGetAttribute(nullptr, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, d.get()), hipErrorInvalidValue);
  int onStack = 0;
  HIP_ERR(hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, &onStack), hipErrorInvalidValue);
  for (auto unknown : {HIP_POINTER_ATTRIBUTE_CONTEXT, HIP_POINTER_ATTRIBUTE_P2P_TOKENS,
                       HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE, HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES,
                       HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE})
    HIP_ERR(hipPointerGetAttribute(&pointer, unknown, d.get()), hipErrorNotSupported);
}

TEST(several_attributes_at_once) {
  Buffer<char> d(640);
  hipPointer_attribute which[] = {HIP_POINTER_ATTRIBUTE_RANGE_SIZE, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER};
  std::size_t size = 0;
  void* pointer = nullptr;
  void* out[] = {&size, &pointer};
  HIP(hipDrvPointerGetAttributes(2, which, out, d.get()));
  EXPECT_EQ(size, std::size_t(640));
  EXPECT_EQ(pointer, static_cast<void*>(d.get()));
  which[0] = HIP_POINTER_ATTRIBUTE_HOST_POINTER;  // device memory has none: no error, no pointer
  void* host = &size;
  out[0] = &host;
  HIP(hipDrvPointerGetAttributes(2, which, out, d.get()));
  EXPECT_EQ(host, static_cast<void*>(nullptr));
  EXPECT_EQ(pointer, static_cast<void*>(d.get()));
  which[0] = HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
  int onStack = 7;
  out[0] = &onStack;
  HIP(hipDrvPointerGetAttributes(2, which, out, &onStack));
  EXPECT_EQ(onStack, int(hipInvalidDeviceId));
  EXPECT_EQ(pointer, static_cast<void*>(nullptr));
  HIP_ERR(hipDrvPointerGetAttributes(0, which, out, d.get()), hipErrorInvalidValue);
  HIP_ERR(hipDrvPointerGetAttributes(2, nullptr, out, d.get()), hipErrorInvalidValue);
}
