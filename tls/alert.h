// What the peer says in TLS's own words when it ends a connection (RFC 8446, 6), in ours.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/status.h"

namespace hipr::tls {

std::string alertText(int number);
Status alertStatus(std::span<const std::byte> alert);  // never ok(): all of them end a connection

}  // namespace hipr::tls
