// Streams and events: four pipelines of copy, compute, copy that may overlap.
// An event makes a fifth stream wait for all of them, callbacks tell the host in stream order,
// and two events time the whole on the device.
#include <atomic>
#include <vector>

#include "../hip_check.h"

constexpr int kStreams = 4, kChunk = 1 << 18;

__global__ void transform(const float* in, float* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  for (int r = 0; r < rounds; ++r) v = fmaf(v, 0.5f, 1.0f);
  out[i] = v;
}

__global__ void total(const float* chunks, double* out) {  // one thread per chunk is enough for a check
  double sum = 0;
  for (int i = 0; i < kChunk; i += 64) sum += chunks[threadIdx.x * kChunk + i];
  out[threadIdx.x] = sum;
}

static void finished(hipStream_t, hipError_t status, void* counter) {
  if (status == hipSuccess) ++*static_cast<std::atomic<int>*>(counter);
}

int main() {
  const size_t bytes = kChunk * sizeof(float);
  float *in, *out, *deviceIn, *deviceOut;
  double *deviceSums, sums[kStreams];
  HIP_CHECK(hipHostMalloc(&in, kStreams * bytes, hipHostMallocDefault));
  HIP_CHECK(hipHostMalloc(&out, kStreams * bytes, hipHostMallocDefault));
  HIP_CHECK(hipMalloc(&deviceIn, kStreams * bytes));
  HIP_CHECK(hipMalloc(&deviceOut, kStreams * bytes));
  HIP_CHECK(hipMalloc(&deviceSums, sizeof sums));
  for (int i = 0; i < kStreams * kChunk; ++i) in[i] = float(i % 1000);

  hipStream_t streams[kStreams], last;
  hipEvent_t start, stop, done[kStreams];
  std::atomic<int> callbacks{0};
  HIP_CHECK(hipStreamCreateWithFlags(&last, hipStreamNonBlocking));
  HIP_CHECK(hipEventCreate(&start));
  HIP_CHECK(hipEventCreate(&stop));
  HIP_CHECK(hipEventRecord(start, last));
  for (int s = 0; s < kStreams; ++s) {
    const size_t at = size_t(s) * kChunk;
    HIP_CHECK(hipStreamCreateWithFlags(&streams[s], hipStreamNonBlocking));
    HIP_CHECK(hipEventCreateWithFlags(&done[s], hipEventDisableTiming));
    HIP_CHECK(hipMemcpyAsync(deviceIn + at, in + at, bytes, hipMemcpyHostToDevice, streams[s]));
    transform<<<kChunk / 256, 256, 0, streams[s]>>>(deviceIn + at, deviceOut + at, kChunk, 8 + s);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpyAsync(out + at, deviceOut + at, bytes, hipMemcpyDeviceToHost, streams[s]));
    HIP_CHECK(hipStreamAddCallback(streams[s], finished, &callbacks, 0));
    HIP_CHECK(hipEventRecord(done[s], streams[s]));
    HIP_CHECK(hipStreamWaitEvent(last, done[s], 0));
  }
  total<<<1, kStreams, 0, last>>>(deviceOut, deviceSums);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipEventRecord(stop, last));
  HIP_CHECK(hipMemcpyAsync(sums, deviceSums, sizeof sums, hipMemcpyDeviceToHost, last));
  HIP_CHECK(hipStreamSynchronize(last));

  float milliseconds = 0;
  HIP_CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  int wrong = 0;
  for (int s = 0; s < kStreams; ++s) {
    double expected = 0;
    for (int i = 0; i < kChunk; ++i) {
      float v = in[s * kChunk + i];
      for (int r = 0; r < 8 + s; ++r) v = __builtin_fmaf(v, 0.5f, 1.0f);
      wrong += v != out[s * kChunk + i];
      if (i % 64 == 0) expected += v;
    }
    wrong += sums[s] != expected;
  }
  wrong += callbacks != kStreams;
  std::printf("%d streams, %d callbacks, %.2f ms on the device, %s\n", kStreams, callbacks.load(), milliseconds,
              wrong ? "WRONG" : "correct");

  for (int s = 0; s < kStreams; ++s) {
    HIP_CHECK(hipStreamDestroy(streams[s]));
    HIP_CHECK(hipEventDestroy(done[s]));
  }
  HIP_CHECK(hipStreamDestroy(last));
  HIP_CHECK(hipEventDestroy(start));
  HIP_CHECK(hipEventDestroy(stop));
  HIP_CHECK(hipHostFree(in));
  HIP_CHECK(hipHostFree(out));
  HIP_CHECK(hipFree(deviceIn));
  HIP_CHECK(hipFree(deviceOut));
  HIP_CHECK(hipFree(deviceSums));
  return wrong != 0;
}
