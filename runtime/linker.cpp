// The linker API. AMD's runtime takes SPIR-V by it and nothing else; making GPU code of that is its compiler's work,
// which hiprtc's linker does where it is installed.
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/log.h"
#include "rtc/installed.h"
#include "runtime/api.h"
#include "runtime/proc_address.h"
#include "runtime/process.h"

namespace hipr::api {

namespace {

struct Link {
  struct Input {
    std::string bytes, name;
  };
  std::mutex mutex;
  std::vector<Input> inputs;
  std::string binary;  // what hipLinkComplete made
};

// Never destroyed: links are, some of them very late.
HandlePool<Link>& links() {
  static auto* pool = new HandlePool<Link>(1 << 16);
  return *pool;
}

// A link of hiprtc's, for the length of one hipLinkComplete.
bool linkWith(const rtc::Installed& rtc, std::vector<Link::Input>& inputs, std::string& out) {
  hiprtcLinkState state = nullptr;
  if (rtc.hiprtcLinkCreate == nullptr || rtc.hiprtcLinkCreate(0, nullptr, nullptr, &state) != HIPRTC_SUCCESS)
    return false;
  bool good = true;
  for (Link::Input& input : inputs)
    good = good && rtc.hiprtcLinkAddData(state, hipJitInputSpirv, input.bytes.data(), input.bytes.size(),
                                         input.name.c_str(), 0, nullptr, nullptr) == HIPRTC_SUCCESS;
  void* binary = nullptr;
  std::size_t size = 0;
  good = good && rtc.hiprtcLinkComplete(state, &binary, &size) == HIPRTC_SUCCESS;
  if (good) out.assign(static_cast<const char*>(binary), size);
  rtc.hiprtcLinkDestroy(state);
  return good;
}

hipError_t addInput(hipLinkState_t state, std::string bytes, const char* name, hipError_t unknown) {
  Link* link = links().find(state);
  if (link == nullptr) return unknown;
  std::lock_guard lock(link->mutex);
  link->inputs.push_back({std::move(bytes), name != nullptr ? name : ""});
  return hipSuccess;
}

}  // namespace

hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption* options, void** optionValues,
                         hipLinkState_t* stateOut) {
  Process* p;
  HIPR_TRY(process(p));
  if (stateOut == nullptr) return hipErrorInvalidValue;
  if (numOptions != 0 && (options == nullptr || optionValues == nullptr)) return hipErrorInvalidValue;
  constexpr int kLastForeign = hipJitOptionNumOptions;  // those that only another vendor's compiler has
  for (unsigned i = 0; i < numOptions; ++i)
    if (options[i] <= kLastForeign) return hipErrorInvalidValue;
  Link* link = links().create();
  if (link == nullptr) return hipErrorOutOfMemory;
  *stateOut = reinterpret_cast<hipLinkState_t>(link);
  return hipSuccess;
}

hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void* data, size_t size, const char* name,
                          unsigned int, hipJitOption*, void**) {
  if (data == nullptr || size == 0) return hipErrorInvalidImage;
  if (type != hipJitInputSpirv) return hipErrorInvalidValue;
  return addInput(state, std::string(static_cast<const char*>(data), size), name, hipErrorInvalidHandle);
}

hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char* path, unsigned int, hipJitOption*,
                          void**) {
  if (state == nullptr) return hipErrorInvalidHandle;
  if (type != hipJitInputSpirv || path == nullptr) return hipErrorInvalidValue;
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file) return hipErrorInvalidConfiguration;
  return addInput(state, std::move(bytes), path, hipErrorInvalidValue);
}

hipError_t hipLinkComplete(hipLinkState_t state, void** hipBinOut, size_t* sizeOut) {
  if (hipBinOut == nullptr || sizeOut == nullptr) return hipErrorInvalidValue;
  Link* link = links().find(state);
  if (link == nullptr) return hipErrorInvalidValue;
  std::lock_guard lock(link->mutex);
  const rtc::Installed& rtc = rtc::installed(exportedSymbol("hiprtcCreateProgram", false));
  if (link->inputs.empty() || !linkWith(rtc, link->inputs, link->binary)) {
    logError("hipLinkComplete: %s", link->inputs.empty() ? "nothing was added"
                                    : rtc.place.empty()  ? "SPIR-V needs AMD's compiler, which is not installed here"
                                                         : "the installed compiler did not take the SPIR-V");
    return hipErrorInvalidConfiguration;
  }
  *hipBinOut = link->binary.data();
  *sizeOut = link->binary.size();
  return hipSuccess;
}

hipError_t hipLinkDestroy(hipLinkState_t state) {
  Link* link = links().take(state);
  if (link == nullptr) return hipErrorInvalidValue;
  links().recycle(link);
  return hipSuccess;
}

}  // namespace hipr::api
