// The _spt calls by their own names: where their twins mean the null stream, these mean the thread's own. Each is made
// while another blocking stream is held, which the null stream would wait for.
#include "capture_support.h"

namespace {

// The twin of a call that has one signature.
template <class F>
F* spt(F&, const char* name) {
  return later::find<F>(name);
}

// A blocking stream that waits for a word, as long as the object lives. Not for a function of the host: HIP may call
// those of all streams one after the other.
class OtherStream {
 public:
  OtherStream() : word_(std::vector<unsigned>{0}) {
    HIP(hipDeviceSynchronize());
    HIP(hipStreamWaitValue32(stream_, word_.get(), 1, hipStreamWaitValueEq));
  }
  OtherStream(const OtherStream&) = delete;
  ~OtherStream() { open(); }
  operator hipStream_t() const { return stream_; }
  bool held() const { return hipStreamQuery(stream_) == hipErrorNotReady; }
  void open() {
    Stream writing(hipStreamNonBlocking);
    (void)hipStreamWriteValue32(writing, word_.get(), 1, 0);
    (void)hipStreamSynchronize(stream_);
  }

 private:
  Buffer<unsigned> word_;
  Stream stream_;
};

using Bytes = std::vector<unsigned char>;

Bytes counted(std::size_t count, int from = 1) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(from + i);
  return bytes;
}

hipMemcpy3DParms box(void* to, const void* from, hipMemcpyKind kind) {
  hipMemcpy3DParms parms{};
  parms.srcPtr = {const_cast<void*>(from), 8, 8, 2};
  parms.dstPtr = {to, 8, 8, 2};
  parms.extent = {4, 2, 2};
  parms.kind = kind;
  return parms;
}

}  // namespace

__global__ void add(int* p, int v) {
  *p += v;
}
__device__ int table[4] = {1, 2, 3, 4};

TEST(copies_and_fills) {
  const auto copy = spt(hipMemcpy, "hipMemcpy_spt");
  const auto copy2D = spt(hipMemcpy2D, "hipMemcpy2D_spt");
  const auto copy3D = spt(hipMemcpy3D, "hipMemcpy3D_spt");
  const auto fill = spt(hipMemset, "hipMemset_spt");
  const auto fill2D = spt(hipMemset2D, "hipMemset2D_spt");
  const auto fill3D = spt(hipMemset3D, "hipMemset3D_spt");
  const Bytes in = counted(32);
  Bytes out(32), corner(32);
  Buffer<unsigned char> d(32);
  OtherStream other;
  HIP(copy(d, in.data(), 32, hipMemcpyHostToDevice));
  HIP(fill(d + 1, 0xa1, 2));
  HIP(fill2D(d + 8, 8, 0xa2, 3, 2));               // of rows 1 and 2 the first three
  HIP(fill3D({d + 4, 8, 8, 2}, 0xa3, {2, 1, 2}));  // of rows 0 and 2 two from the fifth on
  HIP(copy2D(d + 30, 8, in.data(), 8, 2, 1, hipMemcpyHostToDevice));
  auto down = box(corner.data(), d.get(), hipMemcpyDeviceToHost);
  HIP(copy3D(&down));
  HIP(copy(out.data(), d, 32, hipMemcpyDeviceToHost));
  EXPECT(other.held());
  Bytes want = in;
  want[1] = want[2] = 0xa1;
  for (int row : {1, 2}) std::fill_n(want.begin() + row * 8, 3, 0xa2);
  for (int row : {0, 2}) std::fill_n(want.begin() + row * 8 + 4, 2, 0xa3);
  want[30] = 1, want[31] = 2;
  EXPECT_VEC(out, want);
  for (int i = 0; i < 32; ++i)
    if (i % 8 >= 4) want[i] = 0;
  EXPECT_VEC(corner, want);
  check::result(out);
}

TEST(copies_and_fills_that_do_not_wait) {
  const auto copy = spt(hipMemcpyAsync, "hipMemcpyAsync_spt");
  const auto copy2D = spt(hipMemcpy2DAsync, "hipMemcpy2DAsync_spt");
  const auto copy3D = spt(hipMemcpy3DAsync, "hipMemcpy3DAsync_spt");
  const auto fill = spt(hipMemsetAsync, "hipMemsetAsync_spt");
  const auto fill2D = spt(hipMemset2DAsync, "hipMemset2DAsync_spt");
  const auto fill3D = spt(hipMemset3DAsync, "hipMemset3DAsync_spt");
  const auto query = spt(hipStreamQuery, "hipStreamQuery_spt");
  const auto wait = spt(hipStreamSynchronize, "hipStreamSynchronize_spt");
  const Bytes in = counted(32, 100);
  Buffer<unsigned char> from(in), d(32);
  Pinned<unsigned char> out(32), corner(32);
  HIP(hipMemset(d, 0, 32));
  HIP(hipDeviceSynchronize());
  {
    OtherStream other;
    Gate mine(hipStreamPerThread);
    HIP(copy(d, from, 32, hipMemcpyDeviceToDevice, nullptr));
    HIP(fill(d + 1, 0xb1, 2, nullptr));
    HIP(fill2D(d + 8, 8, 0xb2, 3, 2, nullptr));
    HIP(fill3D({d + 4, 8, 8, 2}, 0xb3, {2, 1, 2}, nullptr));
    HIP(copy2D(d + 30, 8, from, 8, 2, 1, hipMemcpyDeviceToDevice, nullptr));
    auto down = box(corner, d.get(), hipMemcpyDeviceToHost);
    HIP(copy3D(&down, nullptr));
    HIP(copy(out, d, 32, hipMemcpyDeviceToHost, nullptr));
    HIP_ERR(query(nullptr), hipErrorNotReady);
    EXPECT_EQ(int(out[0]), 0);
    mine.open();
    HIP(wait(nullptr));
    HIP(query(nullptr));
    EXPECT(other.held());
  }
  Bytes want = in;
  want[1] = want[2] = 0xb1;
  for (int row : {1, 2}) std::fill_n(want.begin() + row * 8, 3, 0xb2);
  for (int row : {0, 2}) std::fill_n(want.begin() + row * 8 + 4, 2, 0xb3);
  want[30] = 100, want[31] = 101;
  EXPECT_VEC(Bytes(out + 0, out + 32), want);
  EXPECT_EQ(int(corner[9]), 0xb2);
  EXPECT_EQ(int(corner[12]), 0);  // beyond the box
  check::result(want);
}

TEST(variables) {
  const auto to = later::find<hipError_t(const void*, const void*, std::size_t, std::size_t, hipMemcpyKind)>(
      "hipMemcpyToSymbol_spt");
  const auto from =
      later::find<hipError_t(void*, const void*, std::size_t, std::size_t, hipMemcpyKind)>("hipMemcpyFromSymbol_spt");
  const auto toAsync =
      later::find<hipError_t(const void*, const void*, std::size_t, std::size_t, hipMemcpyKind, hipStream_t)>(
          "hipMemcpyToSymbolAsync_spt");
  const auto fromAsync =
      later::find<hipError_t(void*, const void*, std::size_t, std::size_t, hipMemcpyKind, hipStream_t)>(
          "hipMemcpyFromSymbolAsync_spt");
  const void* symbol = HIP_SYMBOL(table);
  int all[4] = {}, tail[2] = {}, seven = 7, nine = 9;
  HIP(from(all, symbol, sizeof all, 0, hipMemcpyDeviceToHost));  // whatever must be loaded first is
  OtherStream other;
  HIP(to(symbol, &seven, 4, 4, hipMemcpyHostToDevice));
  HIP(toAsync(symbol, &nine, 4, 12, hipMemcpyHostToDevice, nullptr));
  HIP(fromAsync(tail, symbol, 8, 8, hipMemcpyDeviceToHost, nullptr));
  HIP(from(all, symbol, sizeof all, 0, hipMemcpyDeviceToHost));
  HIP(hipStreamSynchronize(hipStreamPerThread));
  EXPECT(other.held());
  EXPECT_VEC(std::vector<int>(all, all + 4), (std::vector<int>{1, 7, 3, 9}));
  EXPECT_VEC(std::vector<int>(tail, tail + 2), (std::vector<int>{3, 9}));
  HIP_ERR(to(nullptr, &seven, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidSymbol);
  HIP_ERR(from(all, symbol, sizeof all, 4, hipMemcpyDeviceToHost), hipErrorInvalidValue);  // beyond its end
}

TEST(launches) {
  const auto launch =
      later::find<hipError_t(const void*, dim3, dim3, void**, std::size_t, hipStream_t)>("hipLaunchKernel_spt");
  const auto together =
      later::find<hipError_t(const void*, dim3, dim3, void**, unsigned, hipStream_t)>("hipLaunchCooperativeKernel_spt");
  Buffer<int> d(std::vector<int>{40});
  Pinned<int> seen(1);
  int* p = d;
  int two = 2;
  void* arguments[] = {&p, &two};
  OtherStream other;
  Gate mine(hipStreamPerThread);
  const auto kernel = reinterpret_cast<const void*>(add);
  HIP(launch(kernel, dim3(1), dim3(1), arguments, 0, nullptr));
  HIP(together(kernel, dim3(1), dim3(1), arguments, 0, nullptr));
  HIP(hipMemcpyAsync(seen, d, 4, hipMemcpyDeviceToHost, hipStreamPerThread));
  EXPECT_EQ(seen[0], 0);
  mine.open();
  HIP(hipStreamSynchronize(hipStreamPerThread));
  EXPECT(other.held());
  EXPECT_EQ(seen[0], 44);
  HIP_FAILS(launch(kernel, dim3(1), dim3(2048), arguments, 0, nullptr));
  HIP_ERR(launch(nullptr, dim3(1), dim3(1), arguments, 0, nullptr), hipErrorInvalidDeviceFunction);
}

TEST(functions_of_the_host) {
  const auto host = later::find<hipError_t(hipStream_t, hipHostFn_t, void*)>("hipLaunchHostFunc_spt");
  const auto callback = spt(hipStreamAddCallback, "hipStreamAddCallback_spt");
  static std::string order;
  order.clear();
  OtherStream other;
  HIP(host(nullptr, [](void* user) { order += static_cast<const char*>(user); }, const_cast<char*>("first ")));
  HIP(callback(
      nullptr,
      [](hipStream_t, hipError_t status, void* user) {
        order += static_cast<const char*>(user) + std::to_string(status);
      },
      const_cast<char*>("second "), 0));
  HIP(hipStreamSynchronize(hipStreamPerThread));
  EXPECT(other.held());
  EXPECT_EQ(order, std::string("first second 0"));
  HIP_ERR(callback(nullptr, nullptr, nullptr, 0), hipErrorInvalidValue);
  HIP_ERR(host(nullptr, nullptr, nullptr), hipErrorInvalidValue);
}

TEST(events) {
  const auto record = spt(hipEventRecord, "hipEventRecord_spt");
  const auto waitFor = spt(hipStreamWaitEvent, "hipStreamWaitEvent_spt");
  Event mine, others;
  {
    OtherStream other;
    {
      Gate gate(hipStreamPerThread);
      HIP(record(mine, nullptr));
      HIP_ERR(hipEventQuery(mine), hipErrorNotReady);
      gate.open();
      HIP(hipEventSynchronize(mine));
    }
    EXPECT(other.held());
    HIP(hipEventRecord(others, other));
    HIP(waitFor(nullptr, others, 0));
    HIP_ERR(hipStreamQuery(hipStreamPerThread), hipErrorNotReady);
    other.open();
    HIP(hipStreamSynchronize(hipStreamPerThread));
    HIP(hipEventQuery(others));
  }
  HIP_ERR(record(nullptr, nullptr), hipErrorInvalidHandle);
  HIP_ERR(waitFor(nullptr, nullptr, 0), hipErrorInvalidHandle);
}

TEST(what_the_stream_is) {
  const auto getFlags = spt(hipStreamGetFlags, "hipStreamGetFlags_spt");
  const auto getPriority = spt(hipStreamGetPriority, "hipStreamGetPriority_spt");
  unsigned flags = 99, named = 98;
  int priority = 99, expected = 98;
  HIP(getFlags(nullptr, &flags));
  HIP(hipStreamGetFlags(hipStreamPerThread, &named));
  EXPECT_EQ(flags, named);
  HIP(getPriority(nullptr, &priority));
  HIP(hipStreamGetPriority(hipStreamPerThread, &expected));
  EXPECT_EQ(priority, expected);
  check::result(flags);
  check::result(priority);
  Stream own(hipStreamNonBlocking);  // streams that are named are what they are
  HIP(getFlags(own, &flags));
  EXPECT_EQ(flags, unsigned(hipStreamNonBlocking));
  HIP_ERR(getFlags(nullptr, nullptr), hipErrorInvalidValue);
  HIP_ERR(getPriority(nullptr, nullptr), hipErrorInvalidValue);
}

TEST(captures) {
  const auto capturing = spt(hipStreamIsCapturing, "hipStreamIsCapturing_spt");
  const auto info = spt(hipStreamGetCaptureInfo, "hipStreamGetCaptureInfo_spt");
  const auto more = spt(hipStreamGetCaptureInfo_v2, "hipStreamGetCaptureInfo_v2_spt");
  Buffer<int> d(std::vector<int>{0});
  hipStreamCaptureStatus status = hipStreamCaptureStatusActive;
  HIP(capturing(nullptr, &status));
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  begin(hipStreamPerThread, hipStreamCaptureModeThreadLocal);
  add<<<1, 1, 0, hipStreamPerThread>>>(d, 1);
  HIP(capturing(nullptr, &status));
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  unsigned long long id = 0, again = 0;
  hipGraph_t graph = nullptr;
  const hipGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  HIP(info(nullptr, &status, &id));
  EXPECT(id != 0);
  HIP(more(nullptr, &status, &again, &graph, &nodes, &count));
  EXPECT_EQ(again, id);
  EXPECT(graph != nullptr);
  REQUIRE(count == 1);
  EXPECT_EQ(typeOf(nodes[0]), std::string("kernel"));
  EXPECT(sameNodes(nodesOf(graph), {nodes[0]}));
  Graph captured(end(hipStreamPerThread));
  EXPECT_EQ(captured.handle, graph);
  HIP(info(nullptr, &status, &id));
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
}

TEST(arrays) {
  const auto to = spt(hipMemcpy2DToArray, "hipMemcpy2DToArray_spt");
  const auto toAsync = spt(hipMemcpy2DToArrayAsync, "hipMemcpy2DToArrayAsync_spt");
  const auto from = spt(hipMemcpy2DFromArray, "hipMemcpy2DFromArray_spt");
  const auto fromAsync = spt(hipMemcpy2DFromArrayAsync, "hipMemcpy2DFromArrayAsync_spt");
  const auto line =
      later::find<hipError_t(void*, hipArray_const_t, std::size_t, std::size_t, std::size_t, hipMemcpyKind)>(
          "hipMemcpyFromArray_spt");
  char host[64] = {};
  const auto wrongKind = static_cast<hipMemcpyKind>(7);
  HIP_ERR(to(nullptr, 0, 0, host, 8, 8, 2, hipMemcpyHostToDevice), hipErrorInvalidHandle);
  HIP_ERR(to(nullptr, 0, 0, host, 4, 8, 2, hipMemcpyHostToDevice), hipErrorInvalidPitchValue);
  HIP_ERR(toAsync(nullptr, 0, 0, host, 8, 8, 2, hipMemcpyHostToDevice, nullptr), hipErrorInvalidHandle);
  HIP_ERR(toAsync(nullptr, 0, 0, nullptr, 8, 8, 2, wrongKind, nullptr), hipErrorInvalidMemcpyDirection);
  HIP_ERR(from(host, 8, nullptr, 0, 0, 8, 2, hipMemcpyDeviceToHost), hipErrorInvalidHandle);
  HIP_ERR(from(host, 8, nullptr, 0, 0, 8, 2, wrongKind), hipErrorInvalidMemcpyDirection);
  HIP_ERR(fromAsync(host, 8, nullptr, 0, 0, 8, 2, hipMemcpyDeviceToHost, nullptr), hipErrorInvalidHandle);
  HIP_ERR(line(host, nullptr, 0, 0, 8, hipMemcpyDeviceToHost), hipErrorInvalidValue);
}
