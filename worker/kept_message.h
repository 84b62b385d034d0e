// A message that outlives the frame it came in.
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "wire/messages.h"

namespace hipr::worker {

template <class Message>
class KeptMessage {
 public:
  explicit KeptMessage(const Message& message) : message_(message) {
    std::apply([this](auto&... field) { (this->keep(field), ...); }, Message::fields(message_));
  }
  KeptMessage(const KeptMessage&) = delete;
  KeptMessage& operator=(const KeptMessage&) = delete;

  const Message& get() const { return message_; }
  std::size_t bytes() const { return sizeof *this + bytes_.size(); }

 private:
  void keep(wire::Bytes& bytes) {  // no operation has two byte strings
    bytes_.assign(bytes.begin(), bytes.end());
    bytes = bytes_;
  }
  void keep(auto&) {}

  Message message_;
  std::vector<std::byte> bytes_;
};

}  // namespace hipr::worker
