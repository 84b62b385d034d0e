// The profiler and the tracer: calls and kernels that are recorded, with their times; and names by number.
#include <algorithm>
#include <atomic>
#include <mutex>

#include "objects.h"

extern "C" {
int hipProfilerStart();
int hipProfilerStop();
const char* hipApiName(unsigned id);
const char* hipGetCmdName(unsigned kind);
#if ABI >= 7
int hipProfilerEnableExt(std::uint64_t* first, std::uint64_t state);
int hipProfilerDisableExt(std::uint64_t* end);
struct Record;
int hipProfilerGetRecordsExt(const Record* const** pieces, std::size_t* count, std::size_t* size, std::size_t* total);
int hipProfilerRegisterChunkCallbackExt(void (*)(const void*, std::size_t, void*), void*);
int hipExtSetLoggingParams(std::size_t, std::size_t, std::size_t);
int hipExtEnableLogging();
int hipExtDisableLogging();
#endif
void hipRegisterTracerCallback(int (*)(unsigned domain, unsigned operation, void* data));
}

static void runScale(int times) {
  const std::vector<char> code = moduleBytes();
  void *module = nullptr, *f = nullptr, *memory = nullptr;
  OK(hipModuleLoadData(&module, code.data()));
  OK(hipModuleGetFunction(&f, module, "scale"));
  OK(hipMalloc(&memory, 4096));
  float by = 2;
  int count = 64;
  void* arguments[] = {&memory, &by, &count};
  for (int i = 0; i < times; ++i) OK(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  OK(hipDeviceSynchronize());
  OK(hipFree(memory));
  // The module stays: its kernel's name is in the records.
}

TEST(start_and_stop) {
  IS(hipProfilerStart(), ABI >= 7 ? kSuccess : 801);
  IS(hipProfilerStop(), ABI >= 7 ? kSuccess : 801);
}

TEST(names) {
  EXPECT_EQ(std::string(hipApiName(0)), std::string("unknown"));
  EXPECT_EQ(std::string(hipApiName(3)), std::string("hipArray3DCreate"));
  EXPECT_EQ(std::string(hipApiName(99999)), std::string("unknown"));
  EXPECT_EQ(std::string(hipGetCmdName(0x11f0)), std::string("KernelExecution"));
  EXPECT_EQ(std::string(hipGetCmdName(0x11f4)), std::string("CopyHostToDevice"));
  EXPECT_EQ(std::string(hipGetCmdName(5)), std::string("Unknown command kind"));
}

#if ABI >= 7
struct Record {  // HipApiRecordExt
  const char* call;
  std::uint64_t flags, thread, start, end;
  void* stream;
  unsigned char padding[80];
  struct {
    std::uint64_t flags, begin, end;
    const char* kernel;
    unsigned operations, reserved;
    const void* more;
    unsigned char padding[80];
  } gpu;
};
static_assert(sizeof(Record) == 256);

TEST(records) {
  std::uint64_t first = 0, end = 0;
  OK(hipProfilerEnableExt(&first, 0));
  runScale(5);
  OK(hipProfilerDisableExt(&end));
  const Record* const* pieces = nullptr;
  std::size_t count = 0, size = 0, total = 0;
  OK(hipProfilerGetRecordsExt(&pieces, &count, &size, &total));
  REQUIRE(end <= total && total <= count * size);
  int launches = 0, kernels = 0;
  for (std::uint64_t i = first; i < end; ++i) {
    const Record& r = pieces[i / size][i % size];
    EXPECT(r.start <= r.end);
    launches += std::string(r.call) == "hipModuleLaunchKernel";
    if ((r.flags & 1) == 0) continue;
    ++kernels;
    EXPECT_EQ(std::string(r.gpu.kernel), std::string("scale"));
    EXPECT(r.gpu.begin <= r.gpu.end && r.gpu.end - r.gpu.begin < 60'000'000'000);
  }
  EXPECT_EQ(launches, 5);
  EXPECT_EQ(kernels, 5);
  OK(hipMemset(nullptr, 0, 0));  // no longer recorded
  std::size_t later = 0;
  OK(hipProfilerGetRecordsExt(&pieces, &count, &size, &later));
  EXPECT_EQ(later, total);
  IS(hipProfilerGetRecordsExt(nullptr, &count, &size, &total), kInvalidValue);
}

TEST(full_pieces_are_announced) {
  static std::atomic<int> announced;
  announced = 0;
  OK(hipProfilerRegisterChunkCallbackExt([](const void*, std::size_t n, void*) { announced += int(n); }, nullptr));
  OK(hipProfilerEnableExt(nullptr, 0));
  int device = 0;
  for (int i = 0; i < 3000; ++i) OK(hipGetDevice(&device));
  OK(hipProfilerDisableExt(nullptr));
  EXPECT(announced >= 2048);
  OK(hipProfilerRegisterChunkCallbackExt(nullptr, nullptr));
}

TEST(logging) {
  OK(hipExtSetLoggingParams(1, 0, 0));
  OK(hipExtEnableLogging());
  OK(hipExtDisableLogging());
}
#endif

struct Activity {  // activity_record_t
  unsigned domain, kind, operation;
  std::uint64_t correlation, begin, end;
  int device;
  std::uint64_t queue;
  const char* kernel;
};
static std::mutex lock;
static std::vector<Activity> seen;

TEST(tracer_is_told_of_kernels) {
  hipRegisterTracerCallback([](unsigned domain, unsigned operation, void* data) {
    if (domain != 2 || operation != 0) return 1;
    if (data != nullptr) {
      std::lock_guard<std::mutex> hold(lock);
      seen.push_back(*static_cast<const Activity*>(data));
    }
    return 0;
  });
  runScale(4);
  for (int i = 0; i < 2000; ++i) {  // it comes when it comes
    {
      std::lock_guard<std::mutex> hold(lock);
      if (seen.size() == 4) break;
    }
    usleep(5000);
  }
  hipRegisterTracerCallback(nullptr);
  std::lock_guard<std::mutex> hold(lock);
  REQUIRE(seen.size() == 4);
  for (const Activity& a : seen) {
    EXPECT_EQ(std::string(a.kernel), std::string("scale"));
    EXPECT_EQ(a.kind, 0x11f0u);
    EXPECT(a.begin <= a.end);
  }
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT(seen[i - 1].end <= seen[i].begin + 1000000);
}
