// Run-time compilation: source to kernel, names of templates, headers in memory, and what is wrong with a program.
#include <hip/hiprtc.h>

#include "later.h"
#include "support.h"

// Compiled code, or nothing; the target is left to the library unless an option names it.
static std::vector<char> compile(hiprtcProgram program, std::vector<const char*> options = {}) {
  if (!EXPECT_EQ(hiprtcCompileProgram(program, int(options.size()), options.data()), HIPRTC_SUCCESS)) {
    std::size_t size = 0;
    hiprtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    hiprtcGetProgramLog(program, &log[0]);
    std::printf("%s\n", log.c_str());
    return {};
  }
  std::size_t size = 0;
  EXPECT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
  std::vector<char> code(size);
  EXPECT_EQ(hiprtcGetCode(program, code.data()), HIPRTC_SUCCESS);
  return code;
}

struct Program {
  hiprtcProgram handle = nullptr;
  explicit Program(const char* source, std::vector<const char*> headers = {}, std::vector<const char*> names = {}) {
    EXPECT_EQ(hiprtcCreateProgram(&handle, source, "program.cu", int(headers.size()), headers.data(), names.data()),
              HIPRTC_SUCCESS);
  }
  ~Program() { hiprtcDestroyProgram(&handle); }
  operator hiprtcProgram() const { return handle; }
};

// Runs a kernel of (float*, float) on 0, 1, 2, ... and gives what it made of them.
static std::vector<float> launch(const std::vector<char>& code, const char* name, float by) {
  REQUIRE(!code.empty());
  hipModule_t module = nullptr;
  hipFunction_t kernel = nullptr;
  HIP(hipModuleLoadData(&module, code.data()));
  HIP(hipModuleGetFunction(&kernel, module, name));
  std::vector<float> data(128);
  for (int i = 0; i < 128; ++i) data[i] = float(i);
  Buffer<float> d(data);
  float* p = d;
  void* arguments[] = {&p, &by};
  HIP(hipModuleLaunchKernel(kernel, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
  const auto out = d.download();
  HIP(hipModuleUnload(module));
  return out;
}

static const char* const kScale = R"(
extern "C" __global__ void scale(float* data, float by) { data[blockIdx.x * blockDim.x + threadIdx.x] *= by; })";

TEST(source_to_kernel) {
  Program program(kScale);
  const auto out = launch(compile(program), "scale", 3);
  for (int i = 0; i < 128; ++i) EXPECT_EQ(out[i], 3.0f * float(i));
  check::result(out);
}

TEST(target_named_by_the_program) {
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  const std::string target = std::string("--gpu-architecture=") + properties.gcnArchName;
  Program program(kScale);
  EXPECT_EQ(launch(compile(program, {target.c_str()}), "scale", 2)[5], 10.0f);
}

TEST(templates_by_their_names) {
  Program program(R"(
template <int Add> __global__ void shift(float* data, float by) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += by * Add;
})");
  EXPECT_EQ(hiprtcAddNameExpression(program, "shift<3>"), HIPRTC_SUCCESS);
  const auto code = compile(program);
  const char* lowered = nullptr;
  EXPECT_EQ(hiprtcGetLoweredName(program, "shift<3>", &lowered), HIPRTC_SUCCESS);
  REQUIRE(lowered != nullptr);
  EXPECT_EQ(launch(code, lowered, 2)[1], 7.0f);
}

TEST(headers_and_definitions) {
  Program program(R"(
#include "twice.h"
extern "C" __global__ void both(float* data, float) { data[blockIdx.x * blockDim.x + threadIdx.x] = twice(ADDED); })",
                  {"__device__ inline float twice(float x) { return x + x; }"}, {"twice.h"});
  EXPECT_EQ(launch(compile(program, {"-DADDED=21"}), "both", 0)[9], 42.0f);
}

TEST(mistakes_are_in_the_log) {
  Program program("extern \"C\" __global__ void k() { surprise(); }");
  EXPECT_EQ(hiprtcCompileProgram(program, 0, nullptr), HIPRTC_ERROR_COMPILATION);
  std::size_t size = 0;
  EXPECT_EQ(hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
  std::string log(size, '\0');
  EXPECT_EQ(hiprtcGetProgramLog(program, &log[0]), HIPRTC_SUCCESS);
  EXPECT(log.find("surprise") != std::string::npos);
  EXPECT_EQ(std::string(hiprtcGetErrorString(HIPRTC_ERROR_COMPILATION)), std::string("HIPRTC_ERROR_COMPILATION"));
}

// Before the program is, so that even a call with neither says the same.
TEST(nowhere_to_put_a_result) {
  EXPECT_EQ(hiprtcGetCodeSize(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetCode(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetProgramLogSize(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetProgramLog(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  for (const char* newer : {"hiprtcGetBitcodeSize", "hiprtcGetBitcode"}) {  // not in the oldest headers
    const auto call = reinterpret_cast<hiprtcResult (*)(hiprtcProgram, void*)>(os::symbol(newer));
    if (call != nullptr) EXPECT_EQ(call(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  }
}

TEST(version) {
  int major = 0, minor = -1;
  EXPECT_EQ(hiprtcVersion(&major, &minor), HIPRTC_SUCCESS);
  EXPECT(major > 0 && minor >= 0);
}

// Bitcode is linked by the compiler that is installed here. HIP 5.2's cannot, and then every call of the linker says
// so.
TEST(linking) {
  using Options = void**;
  const auto create = later::find<hiprtcResult(unsigned, int*, Options, void**)>("hiprtcLinkCreate");
  const auto addData = later::find<hiprtcResult(void*, int, void*, std::size_t, const char*, unsigned, int*, Options)>(
      "hiprtcLinkAddData");
  const auto addFile = later::find<hiprtcResult(void*, int, const char*, unsigned, int*, Options)>("hiprtcLinkAddFile");
  const auto complete = later::find<hiprtcResult(void*, void**, std::size_t*)>("hiprtcLinkComplete");
  const auto destroy = later::find<hiprtcResult(void*)>("hiprtcLinkDestroy");
  constexpr int kBitcode = 100;
  void *link = nullptr, *binary = nullptr;
  std::size_t size = 0;
  const hiprtcResult created = create(0, nullptr, nullptr, &link);
  check::result(created);
  if (created != HIPRTC_SUCCESS) {
    char bitcode[4] = {'B', 'C', '\xc0', '\xde'};
    EXPECT_EQ(created, HIPRTC_ERROR_INTERNAL_ERROR);
    EXPECT_EQ(addData(link, kBitcode, bitcode, sizeof bitcode, "x", 0, nullptr, nullptr), HIPRTC_ERROR_INTERNAL_ERROR);
    EXPECT_EQ(addFile(link, kBitcode, "x", 0, nullptr, nullptr), HIPRTC_ERROR_INTERNAL_ERROR);
    EXPECT_EQ(complete(link, &binary, &size), HIPRTC_ERROR_INTERNAL_ERROR);
    EXPECT_EQ(destroy(link), HIPRTC_ERROR_INTERNAL_ERROR);
    EXPECT(link == nullptr && binary == nullptr && size == 0);
    return;
  }
  const auto bitcodeSize = later::find<hiprtcResult(hiprtcProgram, std::size_t*)>("hiprtcGetBitcodeSize");
  const auto getBitcode = later::find<hiprtcResult(hiprtcProgram, char*)>("hiprtcGetBitcode");
  Program program(kScale);
  const char* options[] = {"-fgpu-rdc"};
  EXPECT_EQ(hiprtcCompileProgram(program, 1, options), HIPRTC_SUCCESS);
  EXPECT_EQ(bitcodeSize(program, &size), HIPRTC_SUCCESS);
  std::vector<char> bitcode(size);
  EXPECT_EQ(getBitcode(program, bitcode.data()), HIPRTC_SUCCESS);
  EXPECT_EQ(addData(link, kBitcode, bitcode.data(), size, "scale", 0, nullptr, nullptr), HIPRTC_SUCCESS);
  EXPECT(addFile(link, kBitcode, "/no/such/file", 0, nullptr, nullptr) != HIPRTC_SUCCESS);
  EXPECT_EQ(complete(link, &binary, &size), HIPRTC_SUCCESS);
  const auto* bytes = static_cast<const char*>(binary);
  EXPECT_EQ(launch(std::vector<char>(bytes, bytes + size), "scale", 3)[7], 21.0f);
  EXPECT_EQ(destroy(link), HIPRTC_SUCCESS);
}
