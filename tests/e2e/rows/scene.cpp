#include "tests/e2e/rows/scene.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "testing/hip.h"

// The code objects that CMake compiles from code.c.
__asm__(
    ".section .rodata\n"
    ".balign 4096\n"
    "hiprRowsCode:\n.incbin \"" HIPR_ROWS_CODE
    "\"\nhiprRowsCodeEnd:\n"
    ".balign 4096\n"
    "hiprRowsManagedCode:\n.incbin \"" HIPR_ROWS_MANAGED_CODE
    "\"\nhiprRowsManagedCodeEnd:\n"
    ".previous\n"
    ".globl hiprRowsCode, hiprRowsCodeEnd, hiprRowsManagedCode, hiprRowsManagedCodeEnd\n");
extern "C" const char hiprRowsCode[], hiprRowsCodeEnd[], hiprRowsManagedCode[], hiprRowsManagedCodeEnd[];

namespace hipr::rows {
namespace {

std::string writeFile(const char* name, const char* begin, const char* end) {
  const auto path = std::filesystem::temp_directory_path() / (std::string(name) + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary).write(begin, end - begin);
  return path.string();
}

}  // namespace

const void* Scene::code() {
  return hiprRowsCode;
}
const void* Scene::managedCode() {
  return hiprRowsManagedCode;
}

Scene::Scene(int version, Gate& gate) : abi(version), gate_(gate), wrapper_{.image = code()} {
  const std::string path = testing::remoteLibrary(abi);
  library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (const Status status = worker::loadHip(path, hip); library == nullptr || !status.ok()) {
    ADD_FAILURE() << path << ": " << status.message();
    return;
  }
  codeFile = writeFile("hip-remote-rows-", hiprRowsCode, hiprRowsCodeEnd);
  managedCodeFile = writeFile("hip-remote-rows-managed-", hiprRowsManagedCode, hiprRowsManagedCodeEnd);
  registerCode(wrapper_, &kernel, &variable);
  prepare();
}

Scene::~Scene() {
  for (const std::string& file : {codeFile, managedCodeFile})
    if (!file.empty()) std::filesystem::remove(file);
}

void Scene::ok(hipError_t error, const char* what) const {
  EXPECT_EQ(error, hipSuccess) << what << ": " << hip.errorName(error);
}

void** Scene::registerCode(Wrapper& wrapper, char* kernelHandle, char* variableHandle) {
  void** handle = hip.__hipRegisterFatBinary(&wrapper);
  char name[] = "counter";
  hip.__hipRegisterFunction(handle, kernelHandle, nullptr, "store", ~0u, nullptr, nullptr, nullptr, nullptr, nullptr);
  hip.__hipRegisterVar(handle, variableHandle, name, name, 0, sizeof(int), 0, 0);
  return handle;
}

void Scene::prepare() {
  Scene& s = *this;
  hipModule_t moduleAway;
  HIPR_OK(s, hipSetDevice(1));
  HIPR_OK(s, hipMalloc(&away, kBytes));
  HIPR_OK(s, hipStreamCreate(&streamAway));
  HIPR_OK(s, hipModuleLoadData(&moduleAway, code()));
  HIPR_OK(s, hipModuleGetFunction(&storeAway, moduleAway, "store"));
  HIPR_OK(s, hipDeviceSynchronize());
  HIPR_OK(s, hipSetDevice(0));
  HIPR_OK(s, hipMalloc(&device, kBytes));
  HIPR_OK(s, hipMalloc(&other, kBytes));
  HIPR_OK(s, hipHostMalloc(&pinned, kBytes, 0));
  HIPR_OK(s, hipStreamCreate(&stream));
  HIPR_OK(s, hipEventCreate(&first));
  HIPR_OK(s, hipEventCreate(&last));
  HIPR_OK(s, hipModuleLoadData(&module, code()));
  HIPR_OK(s, hipModuleGetFunction(&store, module, "store"));
  HIPR_OK(s, hipEventRecord(first, stream));
  launch();
  HIPR_OK(s, hipEventRecord(last, stream));
  // First uses: the code behind the handles, on both devices, and the streams nobody creates.
  for (hipStream_t any : {hipStream_t(nullptr), streamAway, hipStreamPerThread}) {
    if (any == streamAway) HIPR_OK(s, hipSetDevice(1));
    HIPR_OK(s, hipLaunchKernel(&kernel, {1, 1, 1}, {1, 1, 1}, arguments_, 0, any));
    HIPR_OK(s, hipDeviceSynchronize());
    HIPR_OK(s, hipSetDevice(0));
  }
}

void Scene::renew() {
  for (int device : {1, 0}) {
    HIPR_OK(*this, hipSetDevice(device));
    HIPR_OK(*this, hipDeviceReset());
  }
  prepare();
}

void Scene::launch() {
  for (hipStream_t any : {stream, hipStreamPerThread})
    ok(hip.hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, any, arguments_, nullptr), "a launch");
}

void Scene::launchInto(void* memory) {
  void* into[] = {&memory, &value_};
  HIPR_OK(*this, hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, into, nullptr));
}

// A client asks for up to 64 MiB more than it needs.
std::size_t Scene::beyondCredit() {
  return granted_ += (64 << 20) + kOwn;
}

// Everything sent is done, and the client knows it.
void Scene::settle() {
  int current = 0;
  HIPR_OK(*this, hipGetDevice(&current));
  for (int round = 0; round < 2; ++round) {
    for (int device : {1 - current, current}) {
      HIPR_OK(*this, hipSetDevice(device));
      HIPR_OK(*this, hipDeviceSynchronize());
    }
    while (!gate_.allAnswered()) std::this_thread::yield();
  }
}

void Scene::mark() {
  HIPR_OK(*this, hipDeviceSetLimit(hipLimitMallocHeapSize, Gate::kMark));
}

void Scene::begin() {
  EXPECT_FALSE(cost_) << "an entry measures one call";
  settle();
  gate_.shut();
  if (const auto work = std::exchange(before_, nullptr)) work();
  firstMark_ = gate_.marks();
  mark();
  waits_.emplace(gate_, allowed_);
}

void Scene::end() {
  const int waits = waits_->stop();
  waits_.reset();
  mark();
  gate_.open();
  const std::uint64_t from = gate_.messagesBeforeMark(firstMark_), to = gate_.messagesBeforeMark(firstMark_ + 1);
  cost_ = {waits, to - from - 1};
}

void Scene::checkResult(hipError_t result) {
  const hipError_t expected = std::exchange(expected_, hipSuccess);
  EXPECT_EQ(result, expected) << "the measured call: " << hip.errorName(result);
}

}  // namespace hipr::rows
