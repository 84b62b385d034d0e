// One side of a pair, for tests: a mirror whose messages are copied to a function.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "mirror/mirror.h"

namespace hipr::mirror {

struct Parcel {
  std::vector<std::byte> runs, bytes;
  wire::HostBytes message() const { return {runs, bytes}; }
};

struct TestSide {
  explicit TestSide(std::function<void(Parcel)> send)
      : mirror({.send = [send = std::move(send)](const wire::HostBytes& m) {
          send({{m.runs.begin(), m.runs.end()}, {m.bytes.begin(), m.bytes.end()}});
        }}) {}

  std::byte* add(std::uint64_t number, std::size_t size, std::size_t misalignment = 0) {
    auto& memory = memories[number];
    memory.assign(size + misalignment, std::byte{0});
    mirror.add(number, memory.data() + misalignment, size);
    return memory.data() + misalignment;
  }

  std::map<std::uint64_t, std::vector<std::byte>> memories;
  Mirror mirror;
};

}  // namespace hipr::mirror
