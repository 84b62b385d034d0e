// Several devices: peer queries and access, copies between devices in every form, kernels that read a peer's memory.
#include "support.h"

static int deviceCount() {
  int n = 0;
  HIP(hipGetDeviceCount(&n));
  return n;
}
static void needTwo() {
  HIP(hipSetDevice(0));
  if (deviceCount() < 2) SKIP("needs two devices");
}

__global__ void twice(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 2 * from[i];
}

struct OnDevice {  // restores the thread's device at the end of scope
  explicit OnDevice(int d) { HIP(hipSetDevice(d)); }
  ~OnDevice() { (void)hipSetDevice(0); }
};

TEST(queries) {
  const int n = deviceCount();
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) {
      int can = -1;
      HIP(hipDeviceCanAccessPeer(&can, a, b));
      EXPECT(can == (a != b ? 1 : 0));
      check::result(can);
    }
  int can = 0;
  HIP_ERR(hipDeviceCanAccessPeer(&can, 0, n), hipErrorInvalidDevice);
  HIP_ERR(hipDeviceCanAccessPeer(&can, -1, 0), hipErrorInvalidDevice);
  HIP_ERR(hipDeviceCanAccessPeer(nullptr, 0, 0), hipErrorInvalidValue);
  can = 7;
  HIP(hipDeviceCanAccessPeer(&can, n, n));  // nobody is its own peer, not even nobody
  EXPECT_EQ(can, 0);
}

TEST(attributes_between_devices) {
  needTwo();
  int v = -1;
  HIP(hipDeviceGetP2PAttribute(&v, hipDevP2PAttrAccessSupported, 0, 1));
  EXPECT_EQ(v, 1);
  HIP_ERR(hipDeviceGetP2PAttribute(&v, hipDevP2PAttrAccessSupported, 0, 0), hipErrorInvalidDevice);
  HIP_ERR(hipDeviceGetP2PAttribute(nullptr, hipDevP2PAttrAccessSupported, 0, 1), hipErrorInvalidValue);
  std::uint32_t link = 99, hops = 0, back = 98;
  HIP(hipExtGetLinkTypeAndHopCount(0, 1, &link, &hops));
  EXPECT(link <= 4);  // hypertransport, quick path, PCI express, infiniband, XGMI
  EXPECT_EQ(hops, 1u);
  HIP(hipExtGetLinkTypeAndHopCount(1, 0, &back, &hops));
  EXPECT_EQ(back, link);
  check::result(link);
  HIP_ERR(hipExtGetLinkTypeAndHopCount(0, 0, &link, &hops), hipErrorInvalidValue);
  HIP_ERR(hipExtGetLinkTypeAndHopCount(-1, 0, &link, &hops), hipErrorInvalidValue);
  HIP_ERR(hipExtGetLinkTypeAndHopCount(0, deviceCount(), &link, &hops), hipErrorInvalidDevice);
  HIP_ERR(hipExtGetLinkTypeAndHopCount(0, 1, nullptr, &hops), hipErrorInvalidValue);
  HIP_ERR(hipExtGetLinkTypeAndHopCount(0, 1, &link, nullptr), hipErrorInvalidValue);
}

TEST(enable_and_disable) {
  needTwo();
  HIP(hipDeviceEnablePeerAccess(1, 0));
  HIP_ERR(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  HIP(hipDeviceDisablePeerAccess(1));
  HIP_ERR(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
  HIP_ERR(hipDeviceEnablePeerAccess(1, 1), hipErrorInvalidValue);
  HIP_ERR(hipDeviceEnablePeerAccess(deviceCount(), 0), hipErrorInvalidDevice);
  HIP_ERR(hipDeviceEnablePeerAccess(deviceCount(), 1), hipErrorInvalidValue);
  HIP_ERR(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);  // itself
}

TEST(copies_between_devices) {
  needTwo();
  const int n = 10000;
  const auto in = randomVector<int>(n, 201, -1e6, 1e6);
  Buffer<int> a(in);
  OnDevice one(1);
  Buffer<int> b(n), c(n);
  HIP(hipMemcpyPeer(b, 1, a, 0, a.bytes()));
  EXPECT_VEC(b.download(), in);
  HIP(hipMemcpy(c, a, a.bytes(), hipMemcpyDefault));  // the addresses say which devices
  EXPECT_VEC(c.download(), in);
  c.fill(0);
  Stream s;
  HIP(hipMemcpyPeerAsync(c, 1, b, 1, a.bytes(), s));
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(c.download(), in);
  HIP(hipMemset(b, 0, b.bytes()));
  HIP(hipMemcpy(b, a, b.bytes(), hipMemcpyDeviceToDevice));
  EXPECT_VEC(b.download(), in);
  HIP_ERR(hipMemcpyPeer(b, 77, a, 0, 4), hipErrorInvalidDevice);
  check::result(in);
}

TEST(kernels_read_a_peers_memory) {
  needTwo();
  const int n = 1000;
  const auto in = randomVector<int>(n, 202, -1e6, 1e6);
  Buffer<int> a(in);
  OnDevice one(1);
  HIP(hipDeviceEnablePeerAccess(0, 0));
  Buffer<int> b(n);
  twice<<<blocksFor(n, 128), 128>>>(a, b, n);
  KERNEL_OK();
  const auto got = b.download();
  for (int i = 0; i < n; ++i)
    if (!EXPECT_EQ(got[i], 2 * in[i])) break;
  HIP(hipDeviceDisablePeerAccess(0));
}

TEST(each_device_runs_its_own_work) {
  const int devices = deviceCount(), n = 5000;
  const auto in = randomVector<int>(n, 203, -1e6, 1e6);
  std::vector<int*> from(devices), to(devices);
  for (int d = 0; d < devices; ++d) {
    HIP(hipSetDevice(d));
    HIP(hipMalloc(reinterpret_cast<void**>(&from[d]), n * sizeof(int)));
    HIP(hipMalloc(reinterpret_cast<void**>(&to[d]), n * sizeof(int)));
    HIP(hipMemcpyAsync(from[d], in.data(), n * sizeof(int), hipMemcpyHostToDevice, nullptr));
    twice<<<blocksFor(n, 256), 256>>>(from[d], to[d], n);
    KERNEL_OK();
  }
  for (int d = 0; d < devices; ++d) {
    HIP(hipSetDevice(d));
    std::vector<int> out(n);
    HIP(hipMemcpy(out.data(), to[d], n * sizeof(int), hipMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
      if (!EXPECT_EQ(out[i], 2 * in[i])) break;
    hipPointerAttribute_t a = {};
    HIP(hipPointerGetAttributes(&a, to[d]));
    EXPECT_EQ(a.device, d);
    HIP(hipFree(from[d]));
    HIP(hipFree(to[d]));
  }
  HIP(hipSetDevice(0));
  check::result(in);
}

TEST(streams_and_events_belong_to_a_device) {
  needTwo();
  const int n = 64;
  Buffer<int> a(std::vector<int>(n, 5));
  Stream s0;
  Event e;
  HIP(hipEventRecord(e, s0));
  OnDevice one(1);
  Buffer<int> b(std::vector<int>(n, 1));
  Stream s1;
  HIP(hipStreamWaitEvent(s1, e, 0));  // waiting across devices is allowed
  twice<<<1, n, 0, s1>>>(b, b, n);
  KERNEL_OK();
  HIP(hipStreamSynchronize(s1));
  EXPECT_EQ(b.download()[0], 2);
  HIP_ERR(hipEventRecord(e, s1), hipErrorInvalidHandle);  // the event is device 0's
}

__device__ int perDevice = 3;
__global__ void bump(int by) {
  perDevice += by;
}

TEST(variables_exist_once_per_device) {
  const int devices = deviceCount();
  for (int d = 0; d < devices; ++d) {
    HIP(hipSetDevice(d));
    bump<<<1, 1>>>(d + 1);
    KERNEL_OK();
  }
  for (int d = 0; d < devices; ++d) {
    HIP(hipSetDevice(d));
    int v = 0;
    HIP(hipMemcpyFromSymbol(&v, HIP_SYMBOL(perDevice), sizeof v));
    EXPECT_EQ(v, 3 + d + 1);
    const int back = 3;
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(perDevice), &back, sizeof back));
  }
  HIP(hipSetDevice(0));
}
