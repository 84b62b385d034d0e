// The texture and surface objects of a process, by what its programs and kernels know them by. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/objects.h"

namespace hipr {

class TextureMap {
 public:
  void add(std::shared_ptr<Texture> texture) {
    const std::lock_guard lock(mutex_);
    const void* const object = texture->object;
    textures_[object] = std::move(texture);
  }
  // Null when there is none, or it is of the other kind.
  std::shared_ptr<const Texture> find(const void* object, bool surface) const {
    const std::lock_guard lock(mutex_);
    const auto found = textures_.find(object);
    return found != textures_.end() && found->second->surface == surface ? found->second : nullptr;
  }
  // The same, and it is known no longer.
  std::shared_ptr<Texture> take(const void* object, bool surface) {
    const std::lock_guard lock(mutex_);
    const auto found = textures_.find(object);
    if (found == textures_.end() || found->second->surface != surface) return nullptr;
    return textures_.extract(found).mapped();
  }
  void dropOf(const Device& device) {
    const std::lock_guard lock(mutex_);
    std::erase_if(textures_, [&](const auto& entry) { return entry.second->owner == &device; });
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::shared_ptr<Texture>> textures_;
};

}  // namespace hipr
