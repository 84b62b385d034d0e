// Kernels that go wrong. Each runs in a child process, because an error of this kind stays with the process that made
// it; the parent checks the error code and that the device is still good for others.
#define CHECK_NO_MAIN
#include "support.h"
#include "system.h"

// Exit statuses of the children: which error the wait reported.
enum { kIllegalAddress = 10, kLaunchFailure, kAssert, kOther, kNoError };
static int exitCode(hipError_t e) {
  if (e == hipErrorIllegalAddress) return kIllegalAddress;
  if (e == hipErrorLaunchFailure) return kLaunchFailure;
  if (e == hipErrorAssert) return kAssert;
  return e == hipSuccess ? kNoError : kOther;
}

__global__ void writeTo(int* p) {
  *p = 1;
}
__global__ void trap(int* p) {
  if (*p == 0) __builtin_trap();
  *p = 2;
}
__global__ void add(int* p) {
  *p += 1;
}

static int nullPointer() {
  writeTo<<<1, 1>>>(nullptr);
  return exitCode(hipDeviceSynchronize());
}
static int wildPointer() {
  writeTo<<<1, 1>>>(reinterpret_cast<int*>(0x123456789000));
  return exitCode(hipDeviceSynchronize());
}
static int afterFree() {
  int* p = nullptr;
  HIP(hipMalloc(reinterpret_cast<void**>(&p), 64 << 20));
  HIP(hipFree(p));
  writeTo<<<1, 1>>>(p + 5000000);
  return exitCode(hipDeviceSynchronize());
}
static int trapped() {
  Buffer<int> d(1);
  d.fill(0);
  trap<<<1, 64>>>(d);
  return exitCode(hipDeviceSynchronize());
}
static int sticky() {
  Buffer<int> d(1);
  writeTo<<<1, 1>>>(nullptr);
  const hipError_t first = hipDeviceSynchronize();
  add<<<1, 1>>>(d);
  const hipError_t launch = hipGetLastError(), second = hipDeviceSynchronize();
  return first != hipSuccess && (launch != hipSuccess || second != hipSuccess) ? exitCode(first) : kNoError;
}
static int copyAfterFault() {
  Buffer<int> d(1);
  int v = 0;
  writeTo<<<1, 1>>>(nullptr);
  return exitCode(hipMemcpy(&v, d, sizeof v, hipMemcpyDeviceToHost));
}
static int (*const children[])() = {nullPointer, wildPointer, afterFree, trapped, sticky, copyAfterFault};

static int runChild(int which) {
  const char number[] = {char('0' + which), '\0'};
  std::fflush(stdout);
  const int code = os::runAgain("--child", number);
  check::result(code);
  return code;
}

static void deviceIsStillGood() {
  Buffer<int> d(1);
  d.fill(0);
  add<<<1, 1>>>(d);
  KERNEL_OK();
  EXPECT_EQ(d.download()[0], 1);
}

TEST(null_pointer) {
  EXPECT_EQ(runChild(0), int(kIllegalAddress));
  deviceIsStillGood();
}
TEST(wild_pointer) {
  EXPECT_EQ(runChild(1), int(kIllegalAddress));
  deviceIsStillGood();
}
TEST(use_after_free) {
  EXPECT_EQ(runChild(2), int(kIllegalAddress));
}
TEST(trap_instruction) {
  const int code = runChild(3);
  EXPECT(code == kLaunchFailure || code == kAssert);
  deviceIsStillGood();
}
TEST(the_error_stays) {
  EXPECT_EQ(runChild(4), int(kIllegalAddress));
}
TEST(a_copy_reports_it_too) {
  EXPECT_EQ(runChild(5), int(kIllegalAddress));
}

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--child") std::_Exit(children[argv[2][0] - '0']());
  return check::runAll(argc, argv);
}
