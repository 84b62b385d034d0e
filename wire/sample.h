// Messages filled with made-up values, for tests and fuzzers: every field of every message, through the same fields()
// that encode it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/messages.h"

namespace hipr::wire {

// Calls f.template operator()<Struct>(name) for every payload there is: each message, each reply, and Done.
template <class F>
void forEachPayload(F&& f) {
#define HIPR_REPLY_Post(Name)
#define HIPR_REPLY_Work(Name)
#define HIPR_REPLY_BeforePost(Name)
#define HIPR_REPLY_BeforeCall(Name) HIPR_REPLY_Call(Name)
#define HIPR_REPLY_Ask(Name)
#define HIPR_REPLY_Push(Name)
#define HIPR_REPLY_Both(Name)
#define HIPR_REPLY_Call(Name) f.template operator()<Name##Reply>(#Name "Reply");
#define MESSAGE(number, Name, verb)   \
  f.template operator()<Name>(#Name); \
  HIPR_REPLY_##verb(Name)
#include "wire/messages.def"
#undef HIPR_REPLY_Post
#undef HIPR_REPLY_Work
#undef HIPR_REPLY_BeforePost
#undef HIPR_REPLY_BeforeCall
#undef HIPR_REPLY_Ask
#undef HIPR_REPLY_Push
#undef HIPR_REPLY_Both
#undef HIPR_REPLY_Call
  f.template operator()<Done>("Done");
}

// Numbers: where values come from (next() → u64).
template <class Numbers>
class Filler {
 public:
  explicit Filler(Numbers& numbers) : numbers_(numbers) {}

  template <Scalar T>
  void fill(T& value) {
    const std::uint64_t bits = numbers_.next();
    if constexpr (std::is_same_v<T, bool>) {
      value = bits & 1;
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(bits % 100000) / 8;  // exact, and never a NaN, which would not equal itself
    } else {
      value = static_cast<T>(bits);
    }
  }
  void fill(std::string& text) { text = "text-" + std::to_string(numbers_.next() % 1000000); }
  void fill(Bytes& bytes) {
    auto& storage = storages_[used_++ % storages_.size()];
    const std::size_t size = numbers_.next() % (storage.size() + 1);
    for (std::size_t i = 0; i < size; ++i) storage[i] = static_cast<std::byte>(numbers_.next());
    bytes = Bytes(storage.data(), size);
  }
  template <class T, std::size_t N>
  void fill(std::array<T, N>& items) {
    for (T& item : items) fill(item);
  }
  template <class T>
  void fill(std::vector<T>& items) {
    items.resize(numbers_.next() % 4);
    for (T& item : items) fill(item);
  }
  template <class T>
  void fill(std::optional<T>& value) {
    value.reset();
    if (numbers_.next() % 4) fill(value.emplace());
  }
  template <Composite T>
  void fill(T& message) {
    std::apply([this](auto&... field) { (this->fill(field), ...); }, T::fields(message));
  }

 private:
  Numbers& numbers_;
  std::array<std::array<std::byte, 40>, 3> storages_{};  // no message has more byte strings
  std::size_t used_ = 0;
};

template <class T>
std::vector<std::byte> encode(const T& message) {
  std::vector<std::byte> out;
  Writer(out).put(message);
  return out;
}

}  // namespace hipr::wire
