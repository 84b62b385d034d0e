// Writer and Reader: the only code that turns values into wire bytes and back. Little-endian, packed, on every host.
//
// Reader never trusts a length. A short or oversized read gives zeros and sets a sticky failure, so decoding code stays
// straight and the caller checks ok() once before acting. Neither is thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace hipr::wire {

using Bits256 = std::array<std::uint8_t, 32>;  // digests, keys

static_assert(std::endian::native == std::endian::little, "big-endian hosts need byte swaps in Writer and Reader");

using Bytes = std::span<const std::byte>;

// Bytes that the message owns, as many as the frame has. They look like a text on the wire, which has a limit.
struct Blob {
  std::string bytes;
};

inline constexpr std::size_t kMaxText = 64 << 10;
inline constexpr std::size_t kMaxItems = 1 << 20;

// A message struct lists its fields once: `static auto fields(auto& m) { return std::tie(m.a, m.b); }`.
template <class T>
concept Composite = requires(T& t) { T::fields(t); };

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

// A growing byte buffer that, unlike std::vector, does not clear what is about to be written: posting a launch is a few
// dozen nanoseconds, and most of it is this.
class Buffer {
 public:
  std::byte* extend(std::size_t size) {
    if (size_ + size > capacity_) grow(size_ + size);
    std::byte* at = data_.get() + size_;
    size_ += size;
    return at;
  }
  std::byte* data() { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }
  Bytes bytes() const { return {data_.get(), size_}; }

 private:
  void grow(std::size_t needed) {
    const std::size_t capacity = std::max(needed, capacity_ * 2);
    std::unique_ptr<std::byte[]> data(new std::byte[capacity]);
    if (size_) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

inline std::byte* extend(Buffer& out, std::size_t size) {
  return out.extend(size);
}
inline std::byte* extend(std::vector<std::byte>& out, std::size_t size) {
  out.resize(out.size() + size);
  return out.data() + out.size() - size;
}

// How many bytes a value takes.
template <Scalar T>
constexpr std::size_t sizeOf(const T&) {
  return sizeof(T);
}
template <Scalar T, std::size_t N>
constexpr std::size_t sizeOf(const std::array<T, N>&) {
  return sizeof(T) * N;
}
inline std::size_t sizeOf(const std::string& text) {
  return sizeof(std::uint32_t) + text.size();
}
inline std::size_t sizeOf(const Blob& blob) {
  return sizeOf(blob.bytes);
}
inline std::size_t sizeOf(Bytes bytes) {
  return sizeof(std::uint64_t) + bytes.size();
}
template <class T>
std::size_t sizeOf(const std::vector<T>& items);
template <class T>
std::size_t sizeOf(const std::optional<T>& value);
template <Composite T>
std::size_t sizeOf(const T& message) {
  return std::apply([](const auto&... field) { return (std::size_t{0} + ... + sizeOf(field)); }, T::fields(message));
}
template <class T>
std::size_t sizeOf(const std::vector<T>& items) {
  std::size_t sum = sizeof(std::uint32_t);
  for (const T& item : items) sum += sizeOf(item);
  return sum;
}
template <class T>
std::size_t sizeOf(const std::optional<T>& value) {
  return sizeof(bool) + (value ? sizeOf(*value) : 0);
}

// Makes room for a value as a whole: posting a message is a few dozen instructions then.
template <class Out>
class BasicWriter {
 public:
  explicit BasicWriter(Out& out) : out_(out) {}

  template <class T>
  void put(const T& value) {
    at_ = extend(out_, sizeOf(value));
    write(value);
  }
  void raw(const void* data, std::size_t size) {
    at_ = extend(out_, size);
    copy(data, size);
  }

 private:
  template <Scalar T>
  void write(const T& value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  template <Scalar T, std::size_t N>
  void write(const std::array<T, N>& items) {
    std::memcpy(at_, items.data(), sizeof items);
    at_ += sizeof items;
  }
  void write(const std::string& text) {
    write(static_cast<std::uint32_t>(text.size()));
    copy(text.data(), text.size());
  }
  void write(const Blob& blob) { write(blob.bytes); }
  void write(Bytes bytes) {
    write(static_cast<std::uint64_t>(bytes.size()));
    copy(bytes.data(), bytes.size());
  }
  template <class T>
  void write(const std::vector<T>& items) {
    write(static_cast<std::uint32_t>(items.size()));
    for (const T& item : items) write(item);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <Composite T>
  void write(const T& message) {
    std::apply([&](const auto&... field) { (write(field), ...); }, T::fields(message));
  }
  void copy(const void* data, std::size_t size) {
    if (size) std::memcpy(at_, data, size);
    at_ += size;
  }

  Out& out_;
  std::byte* at_ = nullptr;
};

using Writer = BasicWriter<std::vector<std::byte>>;

class Reader {
 public:
  explicit Reader(Bytes in) : in_(in) {}

  bool ok() const { return ok_; }
  bool atEnd() const { return in_.empty(); }
  void fail() { ok_ = false, in_ = {}; }

  template <Scalar T>
  void get(T& value) {
    // A bool read from a hostile byte must be 0 or 1, or reading it back is undefined.
    if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      get(byte);
      value = byte != 0;
    } else {
      fill<sizeof value>(&value);
    }
  }
  void get(std::string& text) {
    std::uint32_t size = 0;
    get(size);
    if (size > kMaxText) fail();
    take(size, text);
  }
  void get(Blob& blob) {
    std::uint32_t size = 0;
    get(size);
    take(size, blob.bytes);
  }
  // The bytes stay in the frame: valid as long as the frame's buffer is.
  void get(Bytes& bytes) {
    std::uint64_t size = 0;
    get(size);
    bytes = take(ok_ ? size : 0);
  }
  template <Scalar T, std::size_t N>
    requires(!std::is_same_v<T, bool>)
  void get(std::array<T, N>& items) {
    fill<sizeof items>(items.data());
  }
  template <class T>
  void get(std::vector<T>& items) {
    std::uint32_t count = 0;
    get(count);
    items.clear();
    // Every item takes at least a byte, so a count beyond what is left is a lie; refuse it before allocating.
    if (count > kMaxItems || count > in_.size()) fail();
    for (std::uint32_t i = 0; ok_ && i < count; ++i) get(items.emplace_back());
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool present = false;
    get(present);
    value.reset();
    if (present && ok_) get(value.emplace());
  }
  template <Composite T>
  void get(T& message) {
    std::apply([&](auto&... field) { (get(field), ...); }, T::fields(message));
  }

 private:
  Bytes take(std::uint64_t size) {
    if (size > in_.size()) {
      fail();
      return {};
    }
    const Bytes bytes = in_.first(size);
    in_ = in_.subspan(size);
    return bytes;
  }
  template <std::size_t kSize>
  void fill(void* out) {
    if (kSize > in_.size()) {
      fail();
      std::memset(out, 0, kSize);
      return;
    }
    std::memcpy(out, in_.data(), kSize);
    in_ = in_.subspan(kSize);
  }
  void take(std::uint32_t size, std::string& out) {
    const Bytes bytes = take(ok_ ? size : 0);
    out.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

  Bytes in_;
  bool ok_ = true;
};

}  // namespace hipr::wire
