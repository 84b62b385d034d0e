// What one soname (HIPR_ABI) has otherwise than HIP 7, seen by a program: the bytes it passes and the bytes it gets.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/abi_exports/fake_api.h"

namespace {

using hipr::fake::hook;

// A struct of an older HIP as the bytes a program compiled then would pass.
template <std::size_t Size>
class Bytes {
 public:
  Bytes() { bytes_.fill(std::byte{0xee}); }
  template <typename T>
  Bytes& put(std::size_t offset, T value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof(value));
    return *this;
  }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(bytes_.data());
  }

 private:
  alignas(8) std::array<std::byte, Size> bytes_;
};

template <typename T>
T pointer(std::uintptr_t value) {
  return reinterpret_cast<T>(value);
}

TEST(Edges, VersionNumberIsThatOfTheSoname) {
  hook<&::hipRuntimeGetVersion> = [](int* version) { return *version = 1, hipSuccess; };
  int version = 0;
  EXPECT_EQ(::hipRuntimeGetVersion(&version), hipSuccess);
  EXPECT_EQ(version / 10000000, HIPR_ABI);
  hook<&::hipDriverGetVersion> = [](int*) { return hipErrorInvalidValue; };
  EXPECT_EQ(::hipDriverGetVersion(nullptr), hipErrorInvalidValue);
}

TEST(Edges, AttributesOfOtherVersionsAreInvalid) {
  hook<&::hipGetDevicePropertiesR0000> = [](hipDeviceProp_tR0000* prop, int) {
    *prop = {};
    prop->gcnArch = 910;
    prop->arch.hasDoubles = 1;
    return hipSuccess;
  };
  hook<&::hipDeviceGetAttribute> = [](int* value, hipDeviceAttribute_t attribute, int) {
    *value = attribute;
    return hipSuccess;
  };
  const auto get = [](int attribute) {
    int value = -1;
    const hipError_t error = ::hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(attribute), 0);
    return error == hipSuccess ? value : -static_cast<int>(error);
  };
  const int invalid = -static_cast<int>(hipErrorInvalidValue);
  EXPECT_EQ(get(hipDeviceAttributeWarpSize), static_cast<int>(hipDeviceAttributeWarpSize));
  EXPECT_EQ(get(90), HIPR_ABI >= 6 ? 90 : invalid);
  EXPECT_EQ(get(92), HIPR_ABI >= 7 ? 92 : invalid);
  EXPECT_EQ(get(100), invalid);
  EXPECT_EQ(get(10017), 10017);
  EXPECT_EQ(get(10018), HIPR_ABI >= 7 ? 10018 : invalid);
  EXPECT_EQ(get(10003), HIPR_ABI == 5 ? 910 : invalid);
  EXPECT_EQ(get(10001), HIPR_ABI == 5 ? 1 << 7 : invalid);
}

TEST(Edges, PointerAttributes) {
  hipMemoryType type = hipMemoryTypeDevice;
  hook<&::hipPointerGetAttributes> = [&](hipPointerAttribute_t* out, const void*) {
    *out = {};
    out->type = type;
    out->device = 3;
    return hipSuccess;
  };
  hipPointerAttribute_t found{};
  EXPECT_EQ(::hipPointerGetAttributes(&found, pointer<void*>(64)), hipSuccess);
  EXPECT_EQ(static_cast<int>(found.type), HIPR_ABI == 5 ? 1 : 2);
  EXPECT_EQ(found.device, 3);
  type = hipMemoryTypeManaged;
  EXPECT_EQ(::hipPointerGetAttributes(&found, pointer<void*>(64)), hipSuccess);
  EXPECT_EQ(static_cast<int>(found.type), HIPR_ABI == 5 ? 4 : 3);
  type = hipMemoryTypeUnregistered;
  EXPECT_EQ(::hipPointerGetAttributes(&found, pointer<void*>(64)), HIPR_ABI == 5 ? hipErrorInvalidValue : hipSuccess);
  EXPECT_EQ(found.device, HIPR_ABI == 5 ? 0 : 3);
  EXPECT_EQ(::hipPointerGetAttributes(&found, nullptr), HIPR_ABI < 7 ? hipErrorInvalidValue : hipSuccess);

  hook<&::hipPointerGetAttribute> = [&](void* data, hipPointer_attribute, hipDeviceptr_t) {
    *static_cast<hipMemoryType*>(data) = hipMemoryTypeHost;
    return hipSuccess;
  };
  int value = -1;
  EXPECT_EQ(::hipPointerGetAttribute(&value, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer<void*>(64)), hipSuccess);
  EXPECT_EQ(value, HIPR_ABI == 5 ? 0 : 1);
  for (const auto since7 : {HIP_POINTER_ATTRIBUTE_CONTEXT, HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE})
    EXPECT_EQ(::hipPointerGetAttribute(&value, since7, pointer<void*>(64)),
              HIPR_ABI < 7 ? hipErrorNotSupported : hipSuccess);
}

TEST(Edges, SeveralPointerAttributes) {
  hook<&::hipDrvPointerGetAttributes> = [](unsigned, hipPointer_attribute*, void** data, hipDeviceptr_t) {
    *static_cast<int*>(data[0]) = 2;
    *static_cast<hipMemoryType*>(data[1]) = hipMemoryTypeDevice;
    *static_cast<void**>(data[2]) = nullptr;
    return hipSuccess;
  };
  hipPointer_attribute attributes[] = {HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                       HIP_POINTER_ATTRIBUTE_CONTEXT};
  int ordinal = -1, type = -1;
  void *context = &type, *data[] = {&ordinal, &type, &context};
  EXPECT_EQ(::hipDrvPointerGetAttributes(3, attributes, data, nullptr), hipSuccess);
  EXPECT_EQ(ordinal, 2);
  EXPECT_EQ(type, HIPR_ABI == 5 ? 1 : 2);
  EXPECT_EQ(context == nullptr, HIPR_ABI >= 7) << "before, nobody tells it";
}

TEST(Edges, FreeAsyncOfNothing) {
  EXPECT_EQ(::hipFreeAsync(nullptr, nullptr), HIPR_ABI < 7 ? hipErrorInvalidValue : hipSuccess);
}

TEST(Edges, ASynchronousCopyOfACapturedStream) {
  hook<&::hipStreamIsCapturing> = [](hipStream_t, hipStreamCaptureStatus* status) {
    *status = hipStreamCaptureStatusActive;
    return hipSuccess;
  };
  hook<&::hipMemcpyAsync> = [](void*, const void*, size_t, hipMemcpyKind, hipStream_t) { return hipSuccess; };
  hook<&::hipMemcpyWithStream> = [](void*, const void*, size_t, hipMemcpyKind, hipStream_t) {
    return hipErrorStreamCaptureUnsupported;
  };
  EXPECT_EQ(::hipMemcpyWithStream(nullptr, nullptr, 1, hipMemcpyDefault, pointer<hipStream_t>(0x1000)),
            HIPR_ABI < 7 ? hipSuccess : hipErrorStreamCaptureUnsupported);
}

TEST(Edges, ReservationsOfWrongShape) {
  hook<&::hipMemAddressReserve> = [](void**, size_t, size_t, void*, unsigned long long) {
    return hipErrorInvalidValue;
  };
  void* range;
  EXPECT_EQ(::hipMemAddressReserve(&range, 0, 0, nullptr, 0),
            HIPR_ABI < 7 ? hipErrorOutOfMemory : hipErrorInvalidValue);
  EXPECT_EQ(::hipMemAddressReserve(&range, 0, 0, nullptr, 1), hipErrorInvalidValue);
  EXPECT_EQ(::hipMemAddressReserve(nullptr, 0, 0, nullptr, 0), hipErrorInvalidValue);
}

TEST(Edges, BlockTooLarge) {
  hook<&::hipLaunchKernel> = [](auto&&...) { return hipErrorInvalidConfiguration; };
  EXPECT_EQ(::hipLaunchKernel(nullptr, dim3{1, 1, 1}, dim3{4096, 1, 1}, nullptr, 0, nullptr),
            HIPR_ABI < 7 ? hipErrorInvalidValue : hipErrorInvalidConfiguration);
}

#if HIPR_ABI == 5
TEST(Edges, Memcpy2DHasOldMemoryTypes) {
  hip_Memcpy2D seen{};
  hook<&::hipMemcpyParam2D> = [&](const hip_Memcpy2D* copy) { return seen = *copy, hipSuccess; };
  hip_Memcpy2D copy{};
  copy.srcMemoryType = static_cast<hipMemoryType>(0);
  copy.dstMemoryType = static_cast<hipMemoryType>(3);
  copy.WidthInBytes = 12;
  EXPECT_EQ(::hipMemcpyParam2D(&copy), hipSuccess);
  EXPECT_EQ(seen.srcMemoryType, hipMemoryTypeHost);
  EXPECT_EQ(seen.dstMemoryType, hipMemoryTypeUnified);
  EXPECT_EQ(seen.WidthInBytes, 12u);
  EXPECT_EQ(::hipMemcpyParam2D(nullptr), hipErrorInvalidValue);
}

TEST(Edges, Memcpy3DHas32BitFields) {
  HIP_MEMCPY3D seen{};
  hook<&::hipDrvMemcpy3DAsync> = [&](const HIP_MEMCPY3D* copy, hipStream_t) { return seen = *copy, hipSuccess; };
  Bytes<128> copy;
  const unsigned offsets[] = {0, 4, 8, 12, 48, 52, 56, 60, 64, 68, 104, 108, 112, 116, 120};
  unsigned value = 100;
  for (unsigned offset : offsets) copy.put<unsigned>(offset, value++);
  copy.put<int>(16, 0).put<int>(72, 1);
  copy.put<std::uintptr_t>(24, 0x1000).put<std::uintptr_t>(32, 0x2000).put<std::uintptr_t>(40, 0x3000);
  copy.put<std::uintptr_t>(80, 0x4000).put<std::uintptr_t>(88, 0x5000).put<std::uintptr_t>(96, 0x6000);
  EXPECT_EQ(::hipDrvMemcpy3DAsync(copy.as<HIP_MEMCPY3D>(), nullptr), hipSuccess);
  const std::size_t numbers[] = {seen.srcXInBytes, seen.srcY,        seen.srcZ,         seen.srcLOD, seen.srcPitch,
                                 seen.srcHeight,   seen.dstXInBytes, seen.dstY,         seen.dstZ,   seen.dstLOD,
                                 seen.dstPitch,    seen.dstHeight,   seen.WidthInBytes, seen.Height, seen.Depth};
  value = 100;
  for (std::size_t number : numbers) EXPECT_EQ(number, value++);
  EXPECT_EQ(seen.srcMemoryType, hipMemoryTypeHost);
  EXPECT_EQ(seen.dstMemoryType, hipMemoryTypeDevice);
  EXPECT_EQ(seen.srcHost, pointer<void*>(0x1000));
  EXPECT_EQ(seen.srcDevice, pointer<void*>(0x2000));
  EXPECT_EQ(seen.srcArray, pointer<hipArray_t>(0x3000));
  EXPECT_EQ(seen.dstHost, pointer<void*>(0x4000));
  EXPECT_EQ(seen.dstDevice, pointer<void*>(0x5000));
  EXPECT_EQ(seen.dstArray, pointer<hipArray_t>(0x6000));
}

TEST(Edges, AllocationPropertiesOfBothLayouts) {
  hipMemAllocationProp seen{};
  hook<&::hipMemCreate> = [&](auto, size_t, const hipMemAllocationProp* prop, auto) {
    return seen = *prop, hipSuccess;
  };
  const auto expectSeen = [&] {
    EXPECT_EQ(seen.type, hipMemAllocationTypePinned);
    EXPECT_EQ(seen.requestedHandleType, hipMemHandleTypePosixFileDescriptor);
    EXPECT_EQ(seen.location.type, hipMemLocationTypeDevice);
    EXPECT_EQ(seen.location.id, 1);
    EXPECT_EQ(seen.allocFlags.compressionType, 1);
    EXPECT_EQ(seen.allocFlags.usage, 2);
  };
  Bytes<32> v52;
  v52.put<unsigned char>(0, 1).put<int>(4, 1).put<int>(8, 1).put<int>(12, 1).put<int>(16, 1);
  v52.put<unsigned short>(20, 2).put<std::uintptr_t>(24, 0);
  EXPECT_EQ(::hipMemCreate(nullptr, 1, v52.as<hipMemAllocationProp>(), 0), hipSuccess);
  expectSeen();
  seen = {};
  Bytes<32> v53;
  v53.put<int>(0, 1).put<int>(4, 1).put<int>(8, 1).put<int>(12, 1).put<std::uintptr_t>(16, 0);
  v53.put<unsigned char>(24, 1).put<unsigned char>(25, 0).put<unsigned short>(26, 2);
  EXPECT_EQ(::hipMemCreate(nullptr, 1, v53.as<hipMemAllocationProp>(), 0), hipSuccess);
  expectSeen();
}
#endif

}  // namespace
