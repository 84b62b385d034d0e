// The texture and surface objects of a process, by what its program and kernels know them by, and the references to
// textures in its modules. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

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
  std::vector<std::shared_ptr<Texture>> takeOf(const Device& device) {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Texture>> out;
    for (const auto& [object, texture] : textures_)
      if (texture->owner == &device) out.push_back(texture);
    for (const auto& texture : out) textures_.erase(texture->object);
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::shared_ptr<Texture>> textures_;
};

// References to textures in modules, made when a program asks for one by its name; the program changes them itself.
class ModuleTextures {
 public:
  textureReference* make(const Module& module, void* variable) {
    const std::lock_guard lock(mutex_);
    for (const auto& [reference, place] : places_)
      if (place.variable == variable) return place.reference.get();
    auto reference = std::make_unique<textureReference>();
    textureReference* const out = reference.get();
    places_[out] = {std::move(reference), &module, variable};
    return out;
  }
  // Where the device has it; null when it is no reference of a module.
  void* variableOf(const textureReference* reference) const {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(reference);
    return found != places_.end() ? found->second.variable : nullptr;
  }
  void dropOf(const Module& module) {
    const std::lock_guard lock(mutex_);
    std::erase_if(places_, [&](const auto& entry) { return entry.second.module == &module; });
  }

 private:
  struct Place {
    std::unique_ptr<textureReference> reference;
    const Module* module = nullptr;
    void* variable = nullptr;
  };
  mutable std::mutex mutex_;
  std::map<const textureReference*, Place> places_;
};

}  // namespace hipr
