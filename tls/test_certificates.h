// Certificates for tests, made on the spot: an authority, and who it vouches for.
#pragma once

#include <string>

namespace hipr::tls {

class TestAuthority {
 public:
  explicit TestAuthority(const std::string& name);
  ~TestAuthority();

  // Writes NAME.crt and NAME.key into `folder`. Valid from yesterday until `days` from now: expired if that is
  // negative. Good for 127.0.0.1 and localhost, besides the name itself.
  void issue(const std::string& folder, const std::string& name, int days) const;
  void write(const std::string& path) const;  // the authority's own certificate

 private:
  struct Parts;
  Parts* const parts_;
};

}  // namespace hipr::tls
