// Real compilers make the code objects here, and LLVM's own tools say what is in them. A missing compiler is a failure:
// without it nothing would show that this folder understands what programs really contain.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "code_object/code_object.h"
#include "code_object/compressed_bundle.h"
#include "code_object/llvm_oracle.h"
#include "code_object/select.h"
#include "code_object/test_image.h"

namespace hipr::code {
namespace {

using testing::Buffer;
using testing::shell;
namespace fs = std::filesystem;

const std::string kSource = HIPR_CODE_OBJECT_TESTDATA "/kernels.hip";
const std::string kBitcode = HIPR_DEVICE_LIBRARIES;

std::string clang(const std::string& bitcode = kBitcode) {
  return "clang++-19 -x hip --rocm-path=/usr --rocm-device-lib-path=" + bitcode + " -O2 ";
}

class Toolchain : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "hipr-toolchain-XXXXXX").string();
    ASSERT_TRUE(mkdtemp(pattern.data()));
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Buffer readFile(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    std::vector<char> text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Bytes b = std::as_bytes(std::span(text));
    return Buffer(b.begin(), b.end());
  }

  Buffer compile(const std::string& command) {
    const fs::path out = folder_ / "out";
    shell(command + " " + kSource + " -o " + out.string());
    return readFile(out);
  }

  // The device code a compiler put into a host library.
  Buffer fatBinary(const std::string& command) {
    compile(command);
    shell("llvm-objcopy-19 --dump-section .hip_fatbin=" + (folder_ / "fatbin").string() + " " +
          (folder_ / "out").string() + " /dev/null");
    return readFile(folder_ / "fatbin");
  }

  void check(const Buffer& image, const char* device, int version);

  fs::path folder_;
};

void expectSameKernel(const KernelMetadata& ours, const KernelMetadata& theirs) {
  SCOPED_TRACE(theirs.name);
  EXPECT_EQ(ours.symbol, theirs.symbol);
  EXPECT_EQ(ours.kernargSize, theirs.kernargSize);
  EXPECT_EQ(ours.kernargAlign, theirs.kernargAlign);
  EXPECT_EQ(ours.groupFixedSize, theirs.groupFixedSize);
  EXPECT_EQ(ours.privateFixedSize, theirs.privateFixedSize);
  EXPECT_EQ(ours.wavefrontSize, theirs.wavefrontSize);
  EXPECT_EQ(ours.maxFlatWorkgroupSize, theirs.maxFlatWorkgroupSize);
  EXPECT_EQ(ours.sgprCount, theirs.sgprCount);
  EXPECT_EQ(ours.vgprCount, theirs.vgprCount);
  EXPECT_EQ(ours.agprCount, theirs.agprCount);
  EXPECT_EQ(ours.usesDynamicStack, theirs.usesDynamicStack);
  EXPECT_EQ(ours.uniformWorkgroupSize, theirs.uniformWorkgroupSize);
  EXPECT_EQ(ours.workgroupProcessorMode, theirs.workgroupProcessorMode);
  ASSERT_EQ(ours.args.size(), theirs.args.size());
  for (std::size_t i = 0; i < ours.args.size(); ++i) {
    EXPECT_EQ(ours.args[i].offset, theirs.args[i].offset) << i;
    EXPECT_EQ(ours.args[i].size, theirs.args[i].size) << i;
    EXPECT_EQ(ours.args[i].kind, theirs.args[i].kind) << i;
    EXPECT_EQ(ours.args[i].addressSpace, theirs.args[i].addressSpace) << i;
    EXPECT_EQ(ours.args[i].name, theirs.args[i].name) << i;
    EXPECT_NE(ours.args[i].kind, ArgKind::kUnknown) << i;
    EXPECT_NE(ours.args[i].kind, ArgKind::kHiddenUnknown) << i;
  }
}

void expectSameDescriptor(const KernelDescriptor& d, std::map<std::string, long> theirs) {
  const std::map<std::string, long> ours = {
      {"group_segment_fixed_size", d.groupFixedSize},
      {"private_segment_fixed_size", d.privateFixedSize},
      {"kernarg_size", d.kernargSize},
      {"float_round_mode_32", d.roundMode() & 3},
      {"float_round_mode_16_64", d.roundMode() >> 2},
      {"float_denorm_mode_32", d.denormMode() & 3},
      {"float_denorm_mode_16_64", d.denormMode() >> 2},
      {"dx10_clamp", d.dx10Clamp()},
      {"ieee_mode", d.ieeeMode()},
      {"system_sgpr_private_segment_wavefront_offset", d.scratchEnabled()},
      {"system_sgpr_workgroup_id_x", d.workgroupIdX()},
      {"system_sgpr_workgroup_id_y", d.workgroupIdY()},
      {"system_sgpr_workgroup_id_z", d.workgroupIdZ()},
      {"system_sgpr_workgroup_info", d.workgroupInfo()},
      {"system_vgpr_workitem_id", d.workitemIdDims() - 1},
      {"user_sgpr_private_segment_buffer", d.privateSegmentBuffer()},
      {"user_sgpr_dispatch_ptr", d.dispatchPtr()},
      {"user_sgpr_queue_ptr", d.queuePtr()},
      {"user_sgpr_kernarg_segment_ptr", d.kernargSegmentPtr()},
      {"user_sgpr_dispatch_id", d.dispatchId()},
      {"user_sgpr_flat_scratch_init", d.flatScratchInit()},
      {"user_sgpr_private_segment_size", d.privateSegmentSize()},
  };
  int compared = 0;
  for (const auto& [directive, value] : ours) {
    if (!theirs.contains(directive)) continue;  // some processors lack some fields
    EXPECT_EQ(value, theirs.at(directive)) << directive;
    ++compared;
  }
  EXPECT_GE(compared, 18);
  if (theirs.contains("accum_offset")) {  // gfx90a: also its granule of eight vector registers
    EXPECT_EQ(d.accumOffset(), theirs.at("accum_offset"));
    EXPECT_EQ(d.tgSplit(), theirs.at("tg_split"));
    EXPECT_EQ(d.vgprGranules() * 8, theirs.at("next_free_vgpr"));
    EXPECT_EQ(d.sgprGranules() * 8, theirs.at("next_free_sgpr"));
  }
}

void Toolchain::check(const Buffer& image, const char* device, int version) {
  ASSERT_FALSE(image.empty()) << "nothing was compiled";
  std::size_t size = 0;
  ASSERT_TRUE(imageSize(image.data(), size).ok());
  EXPECT_LE(size, image.size());
  TargetId target;
  ASSERT_TRUE(parseTargetId(device, target).ok());
  Selection chosen;
  Status s = selectCodeObject(image, target, chosen);
  ASSERT_TRUE(s.ok()) << s.message();
  CodeObject object;
  s = CodeObject::parse(chosen.bytes, object);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(object.version(), version);
  EXPECT_EQ(object.target(), chosen.target);
  ASSERT_TRUE(elfSize(chosen.bytes.data(), size).ok());
  EXPECT_EQ(size, chosen.bytes.size());

  const fs::path elf = folder_ / "chosen.co";
  std::ofstream(elf, std::ios::binary)
      .write(asText(chosen.bytes).data(), static_cast<std::streamsize>(chosen.bytes.size()));
  const auto theirs = testing::kernelsFromReadelf(elf);
  const auto descriptors = testing::descriptorsFromObjdump(elf);
  const auto symbols = testing::symbolsFromReadelf(elf);
  EXPECT_EQ(theirs.size(), 6u);
  ASSERT_EQ(object.kernels().size(), theirs.size());
  for (const KernelMetadata& k : theirs) {
    const Kernel* ours = object.findKernel(k.name);
    ASSERT_TRUE(ours) << k.name;
    expectSameKernel(ours->metadata, k);
    // llvm-objdump 19 refuses descriptors of gfx10 and later ("reserved bits").
    if (target.processor.starts_with("gfx9")) expectSameDescriptor(ours->descriptor, descriptors.at(k.name));
    EXPECT_EQ(ours->descriptorAddress, symbols.at(k.symbol).address);
    EXPECT_EQ(ours->entryAddress, symbols.at(k.name).address);
  }
  for (const char* name : {"counter", "table", "pointer", "shared_value"}) {
    const Variable* v = object.findVariable(name);
    ASSERT_TRUE(v) << name;
    EXPECT_EQ(v->address, symbols.at(name).address) << name;
    EXPECT_EQ(v->size, symbols.at(name).size) << name;
    EXPECT_EQ(v->managed, std::string_view(name) == "shared_value") << name;
  }

  const std::uint64_t base = 0x7f1200000000;
  Buffer memory(object.loadSize());
  s = object.load(memory, base);
  ASSERT_TRUE(s.ok()) << s.message();
  const auto word = [&](std::uint64_t address, auto& value) { ASSERT_TRUE(readAt(memory, address, value)); };
  std::uint64_t pointer = 0;
  std::uint32_t counter = 0, initial = 0;
  word(object.findVariable("pointer")->address, pointer);
  word(object.findVariable("counter")->address, counter);
  word(object.findVariable("shared_value")->initialAddress, initial);
  EXPECT_EQ(pointer, base + object.findVariable("counter")->address);
  EXPECT_EQ(counter, 7u);
  EXPECT_EQ(initial, 42u);
}

TEST_F(Toolchain, HipccBundle) {
  check(compile("hipcc --genco --offload-arch=gfx90a -O3"), "gfx90a:sramecc+:xnack-", 4);
}

TEST_F(Toolchain, HipccSeveralTargets) {
  const Buffer image =
      compile("hipcc --genco --offload-arch=gfx90a:xnack- --offload-arch=gfx90a:xnack+ --offload-arch=gfx1030 -O3");
  std::vector<TargetId> targets;
  ASSERT_TRUE(listTargets(image, targets).ok());
  EXPECT_EQ(targets.size(), 3u);
  for (const char* device : {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack+", "gfx1030"}) {
    SCOPED_TRACE(device);
    check(image, device, 4);
  }
  Selection chosen;
  TargetId other;
  ASSERT_TRUE(parseTargetId("gfx906", other).ok());
  EXPECT_EQ(selectCodeObject(image, other, chosen).code(), Code::kNotFound);
}

TEST_F(Toolchain, ClangElfVersions) {
  // Older device libraries have no file for version 6; the one for version 5 means the same.
  const fs::path bitcode = folder_ / "bitcode";
  fs::create_directory(bitcode);
  for (const auto& entry : fs::directory_iterator(kBitcode)) {
    fs::create_symlink(entry.path(), bitcode / entry.path().filename());
  }
  const fs::path six = bitcode / "oclc_abi_version_600.bc";
  if (!fs::exists(six)) fs::create_symlink(kBitcode + "/oclc_abi_version_500.bc", six);
  for (int version : {4, 5, 6}) {
    SCOPED_TRACE(version);
    check(compile(clang(bitcode) + "--offload-arch=gfx90a --cuda-device-only --no-gpu-bundle-output " +
                  "-mcode-object-version=" + std::to_string(version)),
          "gfx90a:sramecc+:xnack-", version);
  }
}

TEST_F(Toolchain, ClangCompressedBundle) {
  const Buffer image =
      compile(clang() + "--offload-arch=gfx90a --offload-arch=gfx1030 --cuda-device-only --offload-compress");
  ASSERT_TRUE(isCompressedBundle(image));
  std::size_t size = 0;
  ASSERT_TRUE(imageSize(image.data(), size).ok());
  EXPECT_EQ(size, image.size());
  check(image, "gfx90a:sramecc+:xnack-", 5);
  check(image, "gfx1030", 5);
}

TEST_F(Toolchain, DeviceCodeInsideAHostLibrary) {
  const std::string library = clang() + "--offload-arch=gfx90a -fPIC -shared ";
  check(fatBinary(library), "gfx90a:sramecc+:xnack-", 5);
  const Buffer compressed = fatBinary(library + "--offload-compress");
  EXPECT_TRUE(isCompressedBundle(compressed));
  check(compressed, "gfx90a:sramecc+:xnack-", 5);
  check(fatBinary(library + "-fgpu-rdc --hip-link"), "gfx90a:sramecc+:xnack-", 5);
}

}  // namespace
}  // namespace hipr::code
