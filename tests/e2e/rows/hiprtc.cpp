// Run-time compilation, inside libamdhip64 up to version 6. Calls are passed on to AMD's compiler where one is
// installed, and fail where there is none; on the way they never leave this machine.
#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

constexpr const char* kSource = "extern \"C\" __global__ void nothing() {}";
constexpr const char* kKernel = "nothing";

// A program for one measured call; null without a compiler, which the call is then told.
template <class Call>
auto withProgram(Call call, bool compiled = false) {
  return [=](Scene& s, auto f) {
    hiprtcProgram program = nullptr;
    (void)s.hip.hiprtcCreateProgram(&program, kSource, "nothing.hip", 0, nullptr, nullptr);
    if (program != nullptr && compiled) (void)s.hip.hiprtcCompileProgram(program, 0, nullptr);
    call(s, f, program);
    if (program != nullptr) (void)s.hip.hiprtcDestroyProgram(&program);
  };
}

}  // namespace

void addHiprtcRows(Book& book) {
  ROW(hiprtcVersion).standard([](Scene& s, auto f) {
    int major = 0, minor = 0;
    s.call(f, &major, &minor);
  });
  ROW(hiprtcGetErrorString).standard([](Scene& s, auto f) { s.call(f, HIPRTC_SUCCESS); });
  ROW(hiprtcCreateProgram).standard([](Scene& s, auto f) {
    hiprtcProgram program = nullptr;
    s.call(f, &program, kSource, "nothing.hip", 0, nullptr, nullptr);
    if (program != nullptr) (void)s.hip.hiprtcDestroyProgram(&program);
  });
  ROW(hiprtcDestroyProgram).standard([](Scene& s, auto f) {
    hiprtcProgram program = nullptr;
    (void)s.hip.hiprtcCreateProgram(&program, kSource, "nothing.hip", 0, nullptr, nullptr);
    s.call(f, &program);
  });
  ROW(hiprtcAddNameExpression).standard(withProgram([](Scene& s, auto f, hiprtcProgram program) {
    s.call(f, program, kKernel);
  }));
  ROW(hiprtcCompileProgram).standard(withProgram([](Scene& s, auto f, hiprtcProgram program) {
    s.call(f, program, 0, nullptr);
  }));
  const auto size = [](Scene& s, auto f, hiprtcProgram program) {
    std::size_t bytes = 0;
    s.call(f, program, &bytes);
  };
  ROW(hiprtcGetBitcodeSize).standard(withProgram(size, true));
  ROW(hiprtcGetCodeSize).standard(withProgram(size, true));
  ROW(hiprtcGetProgramLogSize).standard(withProgram(size, true));
  const auto text = [](Scene& s, auto f, hiprtcProgram program) {
    std::vector<char> room(1 << 20);
    s.call(f, program, room.data());
  };
  ROW(hiprtcGetBitcode).standard(withProgram(text, true));
  ROW(hiprtcGetCode).standard(withProgram(text, true));
  ROW(hiprtcGetProgramLog).standard(withProgram(text, true));
  ROW(hiprtcGetLoweredName)
      .standard(withProgram(
          [](Scene& s, auto f, hiprtcProgram program) {
            const char* lowered = nullptr;
            s.call(f, program, kKernel, &lowered);
          },
          true));
  ROW(hiprtcLinkCreate).standard([](Scene& s, auto f) {
    hiprtcLinkState state = nullptr;
    s.call(f, 0u, nullptr, nullptr, &state);
    if (state != nullptr) (void)s.hip.hiprtcLinkDestroy(state);
  });
  const auto link = [](auto call) {
    return [=](Scene& s, auto f) {
      hiprtcLinkState state = nullptr;
      (void)s.hip.hiprtcLinkCreate(0, nullptr, nullptr, &state);
      call(s, f, state);
      if (state != nullptr) (void)s.hip.hiprtcLinkDestroy(state);
    };
  };
  ROW(hiprtcLinkAddData).standard(link([](Scene& s, auto f, hiprtcLinkState state) {
    char nothing = 0;
    s.call(f, state, hipJitInputLLVMBitcode, static_cast<void*>(&nothing), std::size_t{1}, "nothing", 0u, nullptr,
           nullptr);
  }));
  ROW(hiprtcLinkAddFile).standard(link([](Scene& s, auto f, hiprtcLinkState state) {
    s.call(f, state, hipJitInputLLVMBitcode, "/nonexistent", 0u, nullptr, nullptr);
  }));
  ROW(hiprtcLinkComplete).standard(link([](Scene& s, auto f, hiprtcLinkState state) {
    void* binary = nullptr;
    std::size_t size = 0;
    s.call(f, state, &binary, &size);
  }));
  ROW(hiprtcLinkDestroy).standard([](Scene& s, auto f) {
    hiprtcLinkState state = nullptr;
    (void)s.hip.hiprtcLinkCreate(0, nullptr, nullptr, &state);
    s.call(f, state);
  });
}

}  // namespace hipr::rows
