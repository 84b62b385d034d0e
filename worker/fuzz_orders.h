// For the session's fuzzer: turns bytes into an order of well-formed messages. Two bytes are a message: which one, and
// what it names. What a client has made is known here, so that most messages name what exists and a session gets far;
// now and then, when the bytes say so, one names what does not. Host functions are answered by whoever hears of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hipr::worker {

// Where the orders' client has its memory; a Hello that agrees has to come first.
inline constexpr std::uint64_t kOrdersDevice = 0x260000000000, kOrdersDeviceSize = 64 << 20;
inline constexpr std::uint64_t kOrdersHost = 0x270000000000, kOrdersHostSize = 8 << 20;

struct Frames {
  std::vector<std::vector<std::byte>> own;   // for the session's own connection
  std::vector<std::vector<std::byte>> lane;  // for its lane kOrdersLane
};
inline constexpr std::uint32_t kOrdersLane = 1;

// `keepsToRules`: uses no address again that work may still be using. No client knows when that is without hearing from
// its worker, so this one uses each address once.
Frames playOrders(std::span<const std::uint8_t> orders, bool keepsToRules);

}  // namespace hipr::worker
