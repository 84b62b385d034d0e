#include "tls/alert.h"

namespace hipr::tls {

std::string alertText(int number) {
  switch (number) {
    case 0:
      return "the peer closed the connection";
    case 40:
      return "the peer accepts none of our credentials";
    case 42:
    case 43:
    case 46:
      return "the peer refuses our certificate";
    case 44:
      return "the peer says that our certificate was revoked";
    case 45:
      return "the peer says that our certificate has expired, or is not valid yet";
    case 48:
      return "the peer does not trust who signed our certificate";
    case 51:
      return "the peer could not verify our greeting";
    case 70:
      return "the peer does not speak TLS 1.3";
    case 115:
    case 116:
      return number == 115 ? "the peer does not know the token" : "the peer wants a certificate from us";
    default:
      return "the peer ended the connection with TLS alert " + std::to_string(number);
  }
}

Status alertStatus(std::span<const std::byte> alert) {
  if (alert.size() != 2) return Status::invalid("a malformed TLS alert");
  return Status::unavailable(alertText(std::to_integer<int>(alert[1])));
}

}  // namespace hipr::tls
