// The services a dispatch gets when nobody provides better ones.
#include <chrono>
#include <string>

#include "backends/softgpu/isa/execute.h"

namespace hipr::softgpu {
namespace {

class Default final : public Services {
 public:
  void interrupt() override {}
  std::optional<Fault> trap(std::uint8_t id) override {
    return Fault{FaultKind::kTrap, "s_trap " + std::to_string(id), 0, -1, 0};
  }
  std::uint64_t realtime() override {
    using Ticks = std::chrono::duration<std::uint64_t, std::ratio<1, 100'000'000>>;
    return std::chrono::duration_cast<Ticks>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace

Services& defaultServices() {
  static Default services;
  return services;
}

}  // namespace hipr::softgpu
