// Arrays, textures and surfaces of a session: bytes there and back, order, what they cost, and how they go.
#include <chrono>
#include <cmath>
#include <functional>

#include "worker/graphs_fixture.h"

namespace hipr::worker {
namespace {

constexpr std::uint64_t kA = wire::kFirstObject + 20, kB = kA + 1, kC = kA + 2;
constexpr std::uint64_t kHere = kTestDeviceBase, kThere = kTestDeviceBase + kMiB;

wire::ArrayCreate floats(std::uint64_t number, std::uint64_t width, std::uint64_t height = 0, std::uint64_t depth = 0) {
  return {.array = number,
          .device = 0,
          .width = width,
          .height = height,
          .depth = depth,
          .format = HIP_AD_FORMAT_FLOAT,
          .channels = 1};
}
wire::ArraySide box(std::uint64_t array, std::uint64_t x = 0, std::uint64_t y = 0, std::uint64_t z = 0) {
  return {.array = array, .x = x, .y = y, .z = z};
}
wire::ArraySide rows(std::uint64_t address, std::uint64_t pitch = 0, std::uint64_t slice = 0) {
  return {.address = address, .pitch = pitch, .slice = slice};
}
wire::ArrayCopy copy(std::uint64_t stream, const wire::ArraySide& to, const wire::ArraySide& from, std::uint64_t width,
                     std::uint64_t height = 1, std::uint64_t depth = 1) {
  return {.stream = stream, .to = to, .from = from, .width = width, .height = height, .depth = depth};
}
wire::TextureCreate textureOf(std::uint64_t array) {
  wire::TextureCreate m{.texture = kTexture};
  m.source.array = array;
  return m;
}
wire::TextureCreate textureOfRows(std::uint64_t address, std::uint64_t width, std::uint64_t height,
                                  std::uint64_t pitch) {
  wire::TextureCreate m{.texture = kTexture};
  m.source.type = hipResourceTypePitch2D;
  m.source.address = address;
  m.source.width = width;
  m.source.height = height;
  m.source.pitch = pitch;
  m.source.bits = {16, 16, 0, 0};
  return m;
}

// What another thread does in its time.
bool soon(const std::function<bool()>& happens) {
  for (int i = 0; i < 500; ++i) {
    if (happens()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class Images : public ::testing::Test {
 protected:
  explicit Images(const FakeHip::Settings& settings = {.cpuReachesMemory = false}, std::uint64_t memory = 1 << 30,
                  const Limits& limits = {})
      : s(settings, memory, limits) {
    client().hello();
  }
  TestClient& client() { return *s.client; }
  void map() { client().send<Opcode::kMapMemory>({0, kTestDeviceBase, 2 * kMiB}); }
  void create(const wire::ArrayCreate& m) { ASSERT_EQ(client().ask<Opcode::kArrayCreate>(m), hipSuccess); }
  wire::TextureCreateReply create(const wire::TextureCreate& m) {
    std::vector<std::byte> storage;
    return client().call<wire::TextureCreateReply, Opcode::kTextureCreate>(m, storage);
  }
  void set(std::uint64_t address, wire::Bytes bytes) {
    client().send<Opcode::kUpload>(uploadHere(kNull, {address, 0, 0, bytes.size()}, bytes));
  }
  std::vector<std::byte> get(const wire::Shape& from) {
    EXPECT_EQ(client().ask<Opcode::kDownload>({kNull, from, ++transfer_}), hipSuccess);
    return client().received[transfer_];
  }
  hipError_t failure() {
    const auto push = client().expectPush<wire::AsyncFailure>(Opcode::kAsyncFailure);
    return push ? static_cast<hipError_t>(push->status) : hipSuccess;
  }
  void expectNoFailure() {
    EXPECT_EQ(client().ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
    EXPECT_FALSE(client().sawPush(Opcode::kAsyncFailure));
  }

  SessionOnFake s;

 private:
  std::uint64_t transfer_ = 100;
};

TEST_F(Images, BytesGoIntoArraysBetweenThemAndOut) {
  map();
  create(floats(kA, 5, 4, 3));
  create(floats(kB, 7, 6, 4));
  const std::vector<std::byte> bytes = pattern(32 * 4 * 3, 1);  // rows of 20 bytes, 32 apart
  set(kHere, bytes);
  client().send<Opcode::kArrayCopy>(copy(kNull, box(kA), rows(kHere, 32, 128), 20, 4, 3));
  client().send<Opcode::kArrayCopy>(copy(kNull, box(kB, 4, 2, 1), box(kA), 20, 4, 3));
  client().send<Opcode::kArrayCopy>(copy(kNull, rows(kThere, 24, 24 * 5), box(kB, 4, 2, 1), 20, 4, 3));
  const std::vector<std::byte> back = get({kThere, 24, 24 * 5, 20, 4, 3});
  ASSERT_EQ(back.size(), 20u * 4 * 3);
  for (std::size_t row = 0; row < 12; ++row)
    EXPECT_EQ(std::memcmp(&back[row * 20], &bytes[row / 4 * 128 + row % 4 * 32], 20), 0) << row;
  // One texel from the midst; what is around it in the second array was never written.
  client().send<Opcode::kArrayCopy>(copy(kNull, rows(kThere), box(kA, 8, 3, 2), 4));
  client().send<Opcode::kArrayCopy>(copy(kNull, rows(kThere + 4), box(kB, 0, 2, 1), 4));
  const std::vector<std::byte> texels = get({kThere, 0, 0, 8});
  EXPECT_EQ(std::memcmp(texels.data(), &bytes[2 * 128 + 3 * 32 + 8], 4), 0);
  EXPECT_EQ(std::memcmp(&texels[4], "\0\0\0", 4), 0);
  expectNoFailure();
}

TEST_F(Images, LayersOfOneDimensionAndHostMemory) {
  wire::ArrayCreate layers = floats(kA, 8, 0, 4);
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(layers), hipErrorInvalidValue);  // as the runtime says
  layers.flags = hipArrayLayered | hipArraySurfaceLoadStore;
  create(layers);
  client().send<Opcode::kExposeHost>({kTestHostBase, 4096, 1});
  const std::vector<std::byte> bytes = pattern(4 * 40, 2);
  set(kTestHostBase, bytes);
  client().send<Opcode::kArrayCopy>(copy(kNull, box(kA), rows(kTestHostBase, 0, 40), 32, 1, 4));
  client().send<Opcode::kArrayCopy>(copy(kNull, rows(kTestHostBase + 1000), box(kA, 4, 0, 2), 8));
  EXPECT_EQ(std::memcmp(get({kTestHostBase + 1000, 0, 0, 8}).data(), &bytes[2 * 40 + 4], 8), 0);
  expectNoFailure();
}

TEST_F(Images, CopiesWaitBehindAnUploadWhoseBytesAreOnTheirWay) {
  map();
  create(floats(kA, 1 << 14));
  const std::vector<std::byte> bytes = pattern(64 << 10, 3);
  client().send<Opcode::kUpload>(uploadLater(kNull, {kHere, 0, 0, bytes.size()}, 5));
  client().send<Opcode::kArrayCopy>(copy(kNull, box(kA), rows(kHere), bytes.size()));
  client().send<Opcode::kFillMemory>(fillWith(kNull, {kHere, 0, 0, bytes.size()}, 7, 1));
  client().send<Opcode::kArrayCopy>(copy(kNull, rows(kThere), box(kA), bytes.size()));
  client().send<Opcode::kArrayDestroy>({kA});  // they keep it
  const std::uint32_t request = client().send<Opcode::kDownload>({kNull, {kThere, 0, 0, bytes.size()}, 6});
  client().expectPush<wire::TransferOpen>(Opcode::kTransferOpen);
  client().sendData(5, 0, bytes);
  EXPECT_EQ(client().status(request), hipSuccess);
  EXPECT_EQ(client().received[6], bytes);
  expectNoFailure();
}

TEST_F(Images, AnArrayStaysUntilWorkIsDone) {
  map();
  create(floats(kA, 256, 256));
  s.fake.hold();
  client().send<Opcode::kArrayCopy>(copy(kNull, box(kA), rows(kHere, 1024), 1024, 256));
  client().send<Opcode::kArrayDestroy>({kA});
  create(floats(kA, 16));  // another one by that number
  client().send<Opcode::kArrayCopy>(copy(kNull, box(kA), rows(kHere), 64));
  client().send<Opcode::kArrayDestroy>({kA});
  EXPECT_EQ(client().ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_EQ(FakeHip::liveArrays(), 2u);
  s.fake.release();
  expectNoFailure();
  EXPECT_TRUE(soon([] { return FakeHip::liveArrays() == 0; }));
}

TEST_F(Images, ATextureKeepsItsArrayAndStaysUntilWorkIsDone) {
  create(floats(kA, 64, 64));
  wire::TextureCreate surface = textureOf(kA);
  surface.surface = true;
  surface.texture = kTexture + 1;
  const std::uint64_t object = create(textureOf(kA)).object, other = create(surface).object;
  EXPECT_TRUE(object && other && object != other);
  client().send<Opcode::kArrayDestroy>({kA});
  expectNoFailure();
  client().send<Opcode::kHostFunction>({kNull, 1});  // which is not over yet
  client().send<Opcode::kTextureDestroy>({kTexture});
  client().send<Opcode::kTextureDestroy>({kTexture + 1});
  EXPECT_EQ(client().ask<Opcode::kPing>({}), hipSuccess);
  EXPECT_EQ(FakeHip::liveTextures(), 2u);
  EXPECT_EQ(FakeHip::liveArrays(), 1u);
  client().expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction);
  client().send<Opcode::kHostFunctionDone>({1});
  expectNoFailure();
  EXPECT_TRUE(soon([] { return FakeHip::liveTextures() + FakeHip::liveArrays() == 0; }));
}

TEST_F(Images, AResetAndTheEndTakeWhatThereIs) {
  map();
  for (const bool reset : {true, false}) {
    create(floats(kA, 64));
    create(floats(kB, 64, 64));
    EXPECT_EQ(create(textureOf(kA)).status, hipSuccess);
    client().send<Opcode::kArrayCopy>(copy(kNull, box(kA), rows(kHere), 256));
    client().send<Opcode::kArrayDestroy>({kA});
    if (!reset) break;
    EXPECT_EQ(client().ask<Opcode::kDeviceReset>({0}), hipSuccess);
    EXPECT_TRUE(soon([] { return FakeHip::liveTextures() == 0; }));
  }
  s.end();
  EXPECT_EQ(s.fake.liveObjects(), 0) << s.fake.leaks();
}

TEST_F(Images, TexturesOfMemory) {
  map();
  wire::TextureCreate linear{.texture = kTexture};
  linear.source.type = hipResourceTypeLinear;
  linear.source.address = kHere;
  linear.source.bytes = 2 * kMiB;
  linear.source.bits = {32, 32, 32, 32};
  linear.source.kind = hipChannelFormatKindFloat;
  EXPECT_EQ(create(linear).status, hipSuccess);
  client().send<Opcode::kTextureDestroy>({kTexture});
  EXPECT_EQ(create(textureOfRows(kTestDeviceBase, 256, 2048, 1024)).status, hipSuccess);
  client().send<Opcode::kTextureDestroy>({kTexture});
  expectNoFailure();
}

// Each answer is an error, and the session goes on.
TEST_F(Images, WhatCannotBeMadeIsNot) {
  map();
  const auto array = [&](auto&& change) {
    wire::ArrayCreate m = floats(kB, 4, 4);
    change(m);
    return client().ask<Opcode::kArrayCreate>(m);
  };
  EXPECT_EQ(array([](auto& m) { m.width = 0; }), hipErrorInvalidValue);
  EXPECT_EQ(array([](auto& m) { m.width = wire::kMostTexels + 1; }), hipErrorInvalidValue);
  EXPECT_EQ(array([](auto& m) { m.height = ~std::uint64_t{0}; }), hipErrorInvalidValue);
  EXPECT_EQ(array([](auto& m) { m.depth = std::uint64_t{1} << 63; }), hipErrorInvalidValue);
  EXPECT_EQ(array([](auto& m) { m.width = m.height = m.depth = wire::kMostTexels; }), hipErrorOutOfMemory);
  EXPECT_EQ(array([](auto& m) { m.format = 4; }), hipErrorInvalidValue);
  EXPECT_EQ(array([](auto& m) { m.channels = 3; }), hipErrorInvalidValue);
  EXPECT_EQ(array([](auto& m) { m.flags = 0x10; }), hipErrorInvalidValue);
  s.fake.failNext("hipArray3DCreate");
  EXPECT_EQ(array([](auto&) {}), hipErrorOutOfMemory);

  create(floats(kA, 4, 4, 2));
  const auto texture = [&](const wire::TextureCreate& from, auto&& change) {
    wire::TextureCreate m = from;
    change(m);
    return create(m).status;
  };
  const wire::TextureCreate image = textureOf(kA), plane = textureOfRows(kHere, 256, 2048, 1024);
  EXPECT_EQ(texture(image, [](auto& m) { m.source.type = 1; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.source.type = 77; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.reading.addressMode[2] = 4; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.reading.filterMode = -1; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.reading.readMode = 2; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.reading.mipmapFilterMode = 2; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.reading.mipmapLevelBias = NAN; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.reading.maxMipmapLevelClamp = INFINITY; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.view = wire::TextureView{.format = 35}; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.view = wire::TextureView{.width = ~std::uint64_t{0}}; }),
            hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.view = wire::TextureView{.lastLevel = 1}; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.view = wire::TextureView{.lastLayer = 2}; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(image, [](auto& m) { m.view = wire::TextureView{.firstLayer = 1}; }), hipErrorInvalidValue);
  s.fake.failNext("hipCreateTextureObject");
  EXPECT_EQ(texture(image, [](auto&) {}), hipErrorNotSupported);
  EXPECT_EQ(texture(plane, [](auto& m) { m.surface = true; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.view = wire::TextureView{}; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.bits = {16, 8, 0, 0}; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.bits = {16, 0, 16, 0}; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.bits = {64, 0, 0, 0}; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.bits = {}; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.kind = 3; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.pitch = 1023; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.width = std::uint64_t{1} << 62; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.height = 0; }), hipErrorInvalidValue);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.height = 2049; }), hipErrorInvalidDevicePointer);
  EXPECT_EQ(texture(plane, [](auto& m) { m.source.address += 4; }), hipErrorInvalidDevicePointer);
  const auto linear = [](auto& m) { m.source.type = hipResourceTypeLinear; };
  EXPECT_EQ(texture(plane, linear), hipErrorInvalidDevicePointer);  // of no bytes
  EXPECT_EQ(texture(plane, [&](auto& m) { linear(m), m.source.bytes = 2 * kMiB + 1; }), hipErrorInvalidDevicePointer);
  EXPECT_EQ(texture(plane, [&](auto& m) { linear(m), m.source.bytes = ~std::uint64_t{0}; }),
            hipErrorInvalidDevicePointer);
  EXPECT_EQ(texture(image, [](auto&) {}), hipSuccess);  // none of this has taken the number
  expectNoFailure();
}

TEST_F(Images, ACopyThatCannotBeFailsInItsPlace) {
  map();
  create(floats(kA, 16, 16, 2));
  wire::ArrayCreate bytes = floats(kB, 64, 16);
  bytes.format = HIP_AD_FORMAT_UNSIGNED_INT8;
  create(bytes);
  const auto fails = [&](const wire::ArrayCopy& m) {
    client().send<Opcode::kArrayCopy>(m);
    return failure();
  };
  EXPECT_EQ(fails(copy(kNull, box(kA), rows(kHere + 2 * kMiB - 63), 64)), hipErrorInvalidDevicePointer);
  EXPECT_EQ(fails(copy(kNull, rows(kHere - 4096), box(kA), 64)), hipErrorInvalidDevicePointer);
  EXPECT_EQ(fails(copy(kNull, box(kA), rows(kHere, 63), 64, 2)), hipErrorInvalidValue);
  EXPECT_EQ(fails(copy(kNull, box(kA), rows(kHere, 64, 64), 64, 2, 2)), hipErrorInvalidValue);
  EXPECT_EQ(fails(copy(kNull, box(kA), rows(kHere, 64, 150), 64, 2, 2)), hipErrorInvalidValue);
  EXPECT_EQ(fails(copy(kNull, box(kA), box(kB), 64)), hipErrorInvalidValue);  // texels of another size
  s.fake.failNext("hipMemcpy3DAsync");
  EXPECT_EQ(fails(copy(kNull, box(kA), rows(kHere), 64)), hipErrorInvalidValue);
  expectNoFailure();
}

class ImagesOfLittle : public Images {
 protected:
  ImagesOfLittle() : Images({}, 64 * kMiB, with(Quota::kImages, 3)) {}
};

TEST_F(ImagesOfLittle, TheyCountAsDeviceMemory) {
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(floats(kA, 4096, 4096, 2)), hipErrorOutOfMemory);
  create(floats(kA, 4096, 2560));  // 40 MiB
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(floats(kB, 4096, 2560)), hipErrorOutOfMemory);
  EXPECT_EQ(create(textureOf(kA)).status, hipSuccess);
  client().send<Opcode::kArrayDestroy>({kA});
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(floats(kB, 4096, 2560)), hipErrorOutOfMemory);  // a texture shows it
  client().send<Opcode::kHostFunction>({kNull, 1});
  client().send<Opcode::kTextureDestroy>({kTexture});
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(floats(kB, 4096, 2560)), hipErrorOutOfMemory);  // and work may use it
  client().expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction);
  client().send<Opcode::kHostFunctionDone>({1});
  EXPECT_EQ(client().ask<Opcode::kDeviceSynchronize>({0}), hipSuccess);
  EXPECT_TRUE(soon([&] { return client().ask<Opcode::kArrayCreate>(floats(kB, 4096, 2560)) == hipSuccess; }));
}

TEST_F(ImagesOfLittle, ThereAreOnlySoMany) {
  create(floats(kA, 1));
  create(floats(kB, 1));
  EXPECT_EQ(create(textureOf(kA)).status, hipSuccess);
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(floats(kC, 1)), hipErrorOutOfMemory);
  wire::TextureCreate another = textureOf(kB);
  another.texture = kTexture + 1;
  EXPECT_EQ(create(another).status, hipErrorOutOfMemory);
  client().send<Opcode::kArrayDestroy>({kB});
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(floats(kC, 1)), hipSuccess);
  expectNoFailure();
}

class WithoutImages : public Images {
 protected:
  WithoutImages() : Images({.images = false}) {}
};

TEST_F(WithoutImages, TheAnswerIsTheRuntimes) {
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(floats(kA, 1)), hipErrorNotSupported);
  map();
  EXPECT_EQ(create(textureOfRows(kHere, 16, 16, 64)).status, hipErrorNotSupported);
  expectNoFailure();
}

// --- in graphs

class ImageGraphs : public Graphs {
 protected:
  static constexpr std::uint64_t kFrom = wire::kFirstObject + 20, kTo = kFrom + 1;
  void SetUp() override {
    Graphs::SetUp();
    for (const std::uint64_t number : {kFrom, kTo})
      ASSERT_EQ(client().ask<Opcode::kArrayCreate>(floats(number, 4, 2)), hipSuccess);
  }
  static Steps thereAndBack() {
    Steps steps;
    steps.add<Opcode::kArrayCopy>(copy(0, box(kFrom), rows(Graphs::kA, 16), 16, 2))
        .add<Opcode::kArrayCopy>(copy(0, box(kTo, 0, 1), box(kFrom), 8), {0})
        .add<Opcode::kArrayCopy>(copy(0, rows(Graphs::kB), box(kTo, 0, 1), 8), {1});
    return steps;
  }
};

INSTANTIATE_TEST_SUITE_P(Runtime, ImageGraphs, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "HasGraphs" : "HasNone"; });

TEST_P(ImageGraphs, StepsCopyArrays) {
  Graphs::create(thereAndBack());
  set(Graphs::kA, std::array<float, 8>{1, 2, 3, 4, 5, 6, 7, 8});
  launch();
  EXPECT_EQ((get<std::array<float, 2>>(Graphs::kB)), (std::array<float, 2>{1, 2}));
  update({1}, Steps().add<Opcode::kArrayCopy>(copy(0, box(kTo, 0, 1), box(kFrom, 8, 1), 8)));
  launch();
  EXPECT_EQ((get<std::array<float, 2>>(Graphs::kB)), (std::array<float, 2>{7, 8}));
  EXPECT_EQ(s.fake.graphLaunches(), native() ? 2 : 0);
  expectNoFailure();
}

TEST_P(ImageGraphs, ALaunchThatIsHeldHasItsArraysWhateverBecomesOfThem) {
  Graphs::create(thereAndBack());
  set(Graphs::kA, std::array<float, 8>{1, 2, 3, 4, 5, 6, 7, 8});
  client().send<Opcode::kHostFunction>({Graphs::kStream, 7});
  launch();
  client().send<Opcode::kArrayDestroy>({kFrom});
  EXPECT_EQ(client().ask<Opcode::kArrayCreate>(floats(kFrom, 4, 2)), hipSuccess);  // not the one that the steps name
  client().expectPush<wire::RunHostFunction>(Opcode::kRunHostFunction);
  client().send<Opcode::kHostFunctionDone>({7});
  EXPECT_EQ((get<std::array<float, 2>>(Graphs::kB)), (std::array<float, 2>{1, 2}));
  expectNoFailure();
  launch();
  EXPECT_EQ(failure(), hipErrorInvalidDevicePointer);
  update({0, 1}, Steps()
                     .add<Opcode::kArrayCopy>(copy(0, box(kFrom), rows(Graphs::kA, 16), 16, 2))
                     .add<Opcode::kArrayCopy>(copy(0, box(kTo, 0, 1), box(kFrom, 8), 8)));
  launch();
  EXPECT_EQ((get<std::array<float, 2>>(Graphs::kB)), (std::array<float, 2>{3, 4}));
  expectNoFailure();
}

TEST_P(ImageGraphs, AStepThatTheRuntimeCannotSayFailsAtLaunch) {
  Graphs::create(Steps().add<Opcode::kArrayCopy>(copy(0, box(kFrom), rows(Graphs::kA, 8), 16, 2)));
  launch();
  EXPECT_EQ(failure(), hipErrorInvalidValue);
}

}  // namespace
}  // namespace hipr::worker
