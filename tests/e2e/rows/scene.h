// Scene: a HIP program that has been running for a while. It is connected, its code is loaded, its memory, streams and
// events exist. An entry of the book uses it for what stands around the one call it measures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/e2e/rows/gate.h"
#include "tests/e2e/rows/waits.h"
#include "worker/hip_table.h"

namespace hipr::rows {

// What one call cost.
struct Cost {
  int waits = 0;
  std::uint64_t messages = 0;  // of any kind
};

class Scene {
 public:
  static constexpr std::size_t kBytes = 1 << 20;   // of each buffer
  static constexpr std::size_t kOwn = 4 << 20;     // has a mapping of its own, which is kept when it is freed
  static constexpr std::size_t kLarge = 40 << 20;  // the same, but too large to be kept

  Scene(int abi, Gate& gate);
  ~Scene();
  void prepare();  // makes everything below; again after a reset has taken it away
  void renew();    // resets both devices and prepares

  worker::HipTable hip;
  void* library = nullptr;
  const int abi;

  void *device = nullptr, *other = nullptr;  // memory of device 0
  void* pinned = nullptr;                    // no kernel has seen it
  void* away = nullptr;                      // memory of device 1
  std::vector<char> host = std::vector<char>(kBytes);
  hipStream_t stream = nullptr, streamAway = nullptr;
  hipEvent_t first = nullptr, last = nullptr;  // recorded on `stream`, both over
  hipModule_t module = nullptr;
  hipFunction_t store = nullptr, storeAway = nullptr;  // store(int* out, int value)
  // The same kernel and a variable, as the compiler registers them.
  char kernel = 0, variable = 0;
  std::string codeFile, managedCodeFile;

  // Arguments of a launch of `store` into `device`.
  void** arguments() { return arguments_; }
  void launch();                     // on `stream`, and on the default stream of `_spt` calls
  void launchInto(void* memory);     // on `stream`
  static const void* code();         // a code object with `store` and the variable `counter`
  static const void* managedCode();  // and with a managed variable
  // A code object as the compiler wraps it. The wrapper must stay.
  struct Wrapper {
    std::uint32_t magic = 0x48495046, version = 1;
    const void* image;
    void* unused = nullptr;
  };
  void** registerCode(Wrapper& wrapper, char* kernelHandle, char* variableHandle);
  std::size_t beyondCredit();  // a size that the memory granted so far does not cover

  void ok(hipError_t error, const char* what) const;  // a failure of the test otherwise

  // --- the measured call
  Scene& behind(
      std::function<void()> work) {  // run just before it, with the gate shut: stays unfinished during the call
    before_ = std::move(work);
    return *this;
  }
  Scene& expect(hipError_t result) {
    expected_ = result;
    return *this;
  }
  template <class R, class... P, class... A>
  R call(R (*function)(P...), A... arguments) {
    begin();
    if constexpr (std::is_void_v<R>) {
      function(arguments...);
      end();
    } else {
      const R result = function(arguments...);
      end();
      if constexpr (std::is_same_v<R, hipError_t>) checkResult(result);
      return result;
    }
  }

  void allow(int waits) { allowed_ = waits; }
  std::optional<Cost> takeCost() { return std::exchange(cost_, std::nullopt); }

 private:
  void settle();
  void begin();
  void end();
  void mark();
  void checkResult(hipError_t result);

  Gate& gate_;
  int value_ = 1;
  void* arguments_[2] = {&device, &value_};
  Wrapper wrapper_;
  std::size_t granted_ = 320 << 20;

  std::function<void()> before_;
  hipError_t expected_ = hipSuccess;
  int allowed_ = 0;
  std::optional<WaitCounter> waits_;
  std::size_t firstMark_ = 0;
  std::optional<Cost> cost_;
};

}  // namespace hipr::rows

#define HIPR_OK(scene, call) (scene).ok((scene).hip.call, #call)
