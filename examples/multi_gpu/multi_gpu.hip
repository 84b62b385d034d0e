// Several GPUs: an array is split over all devices, each works on its part at the same time,
// and the parts are gathered on device 0 with peer copies.
// Works with one device as well.
#include <vector>

#include "../hip_check.h"

__global__ void polynomial(double* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = fma(fma(2.0, data[i], 3.0), data[i], 1.0);
}

int main() {
  int devices = 0;
  HIP_CHECK(hipGetDeviceCount(&devices));
  const int part = 100000, n = part * devices;
  std::vector<double> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i * 0.25;

  std::vector<double*> parts(devices);
  std::vector<hipStream_t> streams(devices);
  for (int d = 0; d < devices; ++d) {
    HIP_CHECK(hipSetDevice(d));
    HIP_CHECK(hipStreamCreate(&streams[d]));
    HIP_CHECK(hipMalloc(&parts[d], part * sizeof(double)));
    HIP_CHECK(
        hipMemcpyAsync(parts[d], &in[size_t(d) * part], part * sizeof(double), hipMemcpyHostToDevice, streams[d]));
    polynomial<<<(part + 255) / 256, 256, 0, streams[d]>>>(parts[d], part);
    HIP_CHECK(hipGetLastError());
  }

  HIP_CHECK(hipSetDevice(0));
  double* whole;
  HIP_CHECK(hipMalloc(&whole, n * sizeof(double)));
  int peers = 0;
  for (int d = 0; d < devices; ++d) {
    int can = 0;
    HIP_CHECK(hipDeviceCanAccessPeer(&can, 0, d));
    if (can) {
      ++peers;
      HIP_CHECK(hipDeviceEnablePeerAccess(d, 0));
    }
    HIP_CHECK(hipMemcpyPeerAsync(whole + size_t(d) * part, 0, parts[d], d, part * sizeof(double), streams[d]));
    HIP_CHECK(hipStreamSynchronize(streams[d]));
  }
  HIP_CHECK(hipMemcpy(out.data(), whole, n * sizeof(double), hipMemcpyDeviceToHost));

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != __builtin_fma(__builtin_fma(2.0, in[i], 3.0), in[i], 1.0);
  std::printf("%d device%s, %d peer%s of device 0, %d elements, %s\n", devices, devices == 1 ? "" : "s", peers,
              peers == 1 ? "" : "s", n, wrong ? "WRONG" : "correct");
  for (int d = 0; d < devices; ++d) {
    HIP_CHECK(hipSetDevice(d));
    HIP_CHECK(hipStreamDestroy(streams[d]));
    HIP_CHECK(hipFree(parts[d]));
  }
  HIP_CHECK(hipFree(whole));
  return wrong != 0;
}
