// An array for the time of one entry.
#pragma once

#include "tests/e2e/rows/scene.h"

namespace hipr::rows {

inline constexpr hipChannelFormatDesc kFloats{32, 0, 0, 0, hipChannelFormatKindFloat};

struct SceneArray {
  static constexpr std::size_t kWidth = 16, kHeight = 16, kRow = kWidth * sizeof(float);

  explicit SceneArray(Scene& s) : scene(s) { HIPR_OK(s, hipMallocArray(&handle, &kFloats, kWidth, kHeight, 0)); }
  SceneArray(const SceneArray&) = delete;
  SceneArray& operator=(const SceneArray&) = delete;
  ~SceneArray() {
    if (handle != nullptr) HIPR_OK(scene, hipFreeArray(handle));
  }
  hipResourceDesc resource() const {
    hipResourceDesc out{};
    out.resType = hipResourceTypeArray;
    out.res.array.array = handle;
    return out;
  }

  Scene& scene;
  hipArray_t handle = nullptr;
};

}  // namespace hipr::rows
