// The messages: plain structs whose fields() list is their encoding. PROTOCOL.md tells what each does.
//
// Objects (streams, events, modules, functions, graphs, arrays, textures) are named by numbers the client makes; 0 is
// never one of them, except that a stream 0 does not exist and the null stream of device d is kNullStream + d.
// Addresses are the same on both sides.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/code_messages.h"
#include "wire/image_messages.h"
#include "wire/memory_messages.h"
#include "wire/parcel_messages.h"
#include "wire/session_messages.h"
#include "wire/stream_messages.h"
#include "wire/telemetry_messages.h"

namespace hipr::wire {

enum class Opcode : std::uint16_t {
#define MESSAGE(number, Name, verb) k##Name = number,
#include "wire/messages.def"
};

const char* opcodeName(std::uint16_t opcode);  // "?" when unknown
bool isKnown(std::uint16_t opcode);
std::vector<std::uint16_t> messagesToWorker();  // all that a client may send in a session

enum class Verb { Post, Work, Call, Ask, Push, Both, BeforeCall, BeforePost };

// Message → its opcode. Two messages may share a struct, so the opcode is found by the row's name, not by the type.
template <Opcode>
struct MessageOf;
#define MESSAGE(number, Name, verb)             \
  template <>                                   \
  struct MessageOf<Opcode::k##Name> {           \
    using Type = Name;                          \
    static constexpr const char* kName = #Name; \
    static constexpr Verb kVerb = Verb::verb;   \
  };
#include "wire/messages.def"

}  // namespace hipr::wire
