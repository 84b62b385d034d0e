// Handles: the objects a client has made, by the numbers it gave them. Used by the session's reader thread only;
// whoever else needs an object holds a share of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "wire/messages.h"

namespace hipr::worker {

template <class T>
class Handles {
 public:
  // False when the number is reserved or taken.
  bool add(std::uint64_t number, std::shared_ptr<T> object) {
    return number >= wire::kFirstObject && objects_.emplace(number, std::move(object)).second;
  }
  // Null when there is none. It stands until the object is taken.
  const std::shared_ptr<T>& find(std::uint64_t number) const {
    static const std::shared_ptr<T> none;
    const auto found = objects_.find(number);
    return found == objects_.end() ? none : found->second;
  }
  std::shared_ptr<T> take(std::uint64_t number) {
    const auto found = objects_.find(number);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }
  template <class Predicate>
  std::vector<std::shared_ptr<T>> takeIf(Predicate&& predicate) {
    std::vector<std::shared_ptr<T>> taken;
    std::erase_if(objects_, [&](const auto& entry) {
      const bool chosen = predicate(*entry.second);
      if (chosen) taken.push_back(entry.second);
      return chosen;
    });
    return taken;
  }
  template <class Predicate>
  void eraseIf(Predicate&& predicate) {
    std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
  }
  std::size_t size() const { return objects_.size(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }

 private:
  std::unordered_map<std::uint64_t, std::shared_ptr<T>> objects_;
};

}  // namespace hipr::worker
