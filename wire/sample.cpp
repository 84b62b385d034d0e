#include "wire/sample.h"

#include <array>
#include <string>

#include "wire/messages.h"

namespace hipr::wire {
namespace {

// Fills every field of a message through the same fields() that encode it.
class Filler {
 public:
  explicit Filler(const Payload::Numbers& numbers) : numbers_(numbers) {}

  template <Scalar T>
  void fill(T& value) {
    const std::uint64_t bits = numbers_();
    if constexpr (std::is_same_v<T, bool>) {
      value = bits & 1;
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(bits % 100000) / 8;  // exact, and never a NaN, which would not equal itself
    } else {
      value = static_cast<T>(bits);
    }
  }
  void fill(Blob& blob) { fill(blob.bytes); }
  void fill(std::string& text) { text = "text-" + std::to_string(numbers_() % 1000000); }
  void fill(Bytes& bytes) {
    auto& storage = storages_[used_++ % storages_.size()];
    const std::size_t size = numbers_() % (storage.size() + 1);
    for (std::size_t i = 0; i < size; ++i) storage[i] = static_cast<std::byte>(numbers_());
    bytes = Bytes(storage.data(), size);
  }
  template <class T, std::size_t N>
  void fill(std::array<T, N>& items) {
    for (T& item : items) fill(item);
  }
  template <class T>
  void fill(std::vector<T>& items) {
    items.resize(numbers_() % 4);
    for (T& item : items) fill(item);
  }
  template <class T>
  void fill(std::optional<T>& value) {
    value.reset();
    if (numbers_() % 4) fill(value.emplace());
  }
  template <Composite T>
  void fill(T& message) {
    std::apply([this](auto&... field) { (this->fill(field), ...); }, T::fields(message));
  }

 private:
  const Payload::Numbers& numbers_;
  std::array<std::array<std::byte, 40>, 3> storages_{};  // no message has more byte strings
  std::size_t used_ = 0;
};

template <class T>
std::vector<std::byte> encode(const T& message) {
  std::vector<std::byte> out;
  Writer(out).put(message);
  return out;
}

template <class T>
Payload payload(const char* name) {
  return {name,
          [](const Payload::Numbers& numbers) {
            Filler filler(numbers);
            T message{};
            filler.fill(message);
            return encode(message);
          },
          [](Bytes bytes) -> std::optional<Payload::Recoded> {
            T message{};
            Reader reader(bytes);
            reader.get(message);
            if (!reader.ok()) return std::nullopt;
            return Payload::Recoded{encode(message), reader.atEnd()};
          }};
}

}  // namespace

const std::vector<Payload>& payloads() {
#define HIPR_REPLY_Post(Name)
#define HIPR_REPLY_Work(Name)
#define HIPR_REPLY_BeforePost(Name)
#define HIPR_REPLY_BeforeCall(Name) HIPR_REPLY_Call(Name)
#define HIPR_REPLY_Ask(Name)
#define HIPR_REPLY_Push(Name)
#define HIPR_REPLY_Both(Name)
#define HIPR_REPLY_Call(Name) payload<Name##Reply>(#Name "Reply"),
#define MESSAGE(number, Name, verb) payload<Name>(#Name), HIPR_REPLY_##verb(Name)
  static const std::vector<Payload> all = {
#include "wire/messages.def"
      payload<Done>("Done")};
  return all;
}

}  // namespace hipr::wire
