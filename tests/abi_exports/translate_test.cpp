// Translations of structs whose calls are not built yet, at the offsets older HIP headers give them.
#include "abi/translate.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace hipr::abi {
namespace {

template <typename T>
void put(std::byte* bytes, std::size_t offset, T value) {
  std::memcpy(bytes + offset, &value, sizeof(value));
}

TEST(Translate, MemoryTypesRoundTrip) {
  for (hipMemoryType type :
       {hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeArray, hipMemoryTypeUnified, hipMemoryTypeManaged})
    EXPECT_EQ(memoryTypeFrom5(memoryTypeTo5(type)), type);
  for (int type : {-1, 5, 10, 11}) EXPECT_GT(memoryTypeFrom5(type), hipMemoryTypeUnified);
}

TEST(Translate, LaunchAttributeValuesAre32Bytes) {
  std::array<std::byte, 64> old;
  old.fill(std::byte{0xee});
  hipLaunchAttributeValue value{};
  value.accessPolicyWindow.num_bytes = 77;
  launchAttributeValueTo56(value, old.data());
  EXPECT_EQ(old[31], std::byte{0});
  EXPECT_EQ(old[32], std::byte{0xee}) << "wrote past the value of HIP 6";
  const hipLaunchAttributeValue back = launchAttributeValueFrom56(old.data());
  EXPECT_EQ(back.accessPolicyWindow.num_bytes, 77u);
  EXPECT_EQ(back.pad[32], 0);
}

TEST(Translate, MemsetNodeOfHip6) {
  HIP_MEMSET_NODE_PARAMS old{reinterpret_cast<void*>(0x10), 1, 2, 4, 5, 6};
  const hipMemsetParams to = memsetParamsFrom6(old);
  EXPECT_EQ(to.dst, reinterpret_cast<void*>(0x10));
  EXPECT_EQ(to.pitch, 1u);
  EXPECT_EQ(to.value, 2u);
  EXPECT_EQ(to.elementSize, 4u);
  EXPECT_EQ(to.width, 5u);
  EXPECT_EQ(to.height, 6u);
}

TEST(Translate, ExternalMemoryOfHip5) {
  std::array<std::byte, 40> handle{};
  put<int>(handle.data(), 0, hipExternalMemoryHandleTypeOpaqueFd);
  put<int>(handle.data(), 8, 33);
  put<unsigned long long>(handle.data(), 24, 4096);
  put<unsigned>(handle.data(), 32, 1);
  const auto memory = externalMemoryHandleFrom5(handle.data());
  EXPECT_EQ(memory.type, hipExternalMemoryHandleTypeOpaqueFd);
  EXPECT_EQ(memory.handle.fd, 33);
  EXPECT_EQ(memory.size, 4096u);
  EXPECT_EQ(memory.flags, 1u);
  EXPECT_EQ(memory.reserved[0], 0u);

  std::array<std::byte, 24> desc{};
  put<unsigned long long>(desc.data(), 0, 8);
  put<unsigned long long>(desc.data(), 8, 16);
  put<unsigned>(desc.data(), 16, 2);
  const auto buffer = externalMemoryBufferFrom5(desc.data());
  EXPECT_EQ(buffer.offset, 8u);
  EXPECT_EQ(buffer.size, 16u);
  EXPECT_EQ(buffer.flags, 2u);
}

TEST(Translate, ExternalSemaphoresOfHip5) {
  std::array<std::byte, 32> handle{};
  put<int>(handle.data(), 8, 44);
  put<unsigned>(handle.data(), 24, 3);
  const auto semaphore = externalSemaphoreHandleFrom5(handle.data());
  EXPECT_EQ(semaphore.handle.fd, 44);
  EXPECT_EQ(semaphore.flags, 3u);

  alignas(8) std::array<std::byte, 136> bytes{};
  put<unsigned long long>(bytes.data(), 0, 10);
  put<unsigned long long>(bytes.data(), 8, 11);
  put<unsigned>(bytes.data(), 16, 12);
  put<unsigned>(bytes.data(), 64, 13);
  ExternalSemaphoreParams5 old;
  std::memcpy(&old, bytes.data(), sizeof(old));
  EXPECT_EQ(externalSemaphoreSignalFrom5(old).params.fence.value, 10u);
  EXPECT_EQ(externalSemaphoreSignalFrom5(old).params.keyedMutex.key, 11u);
  EXPECT_EQ(externalSemaphoreWaitFrom5(old).params.keyedMutex.timeoutMs, 12u);
  EXPECT_EQ(externalSemaphoreWaitFrom5(old).flags, 13u);
}

}  // namespace
}  // namespace hipr::abi
