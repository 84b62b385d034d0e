// What changes when TensorFusion starts the worker: it runs `./tensor-fusion-worker -p 8000` in a pod of its own, which
// is reached at the pod's address, gets five seconds to end, and may have been given a part of the GPU's memory only.
// Or it runs it in the pod of its client, with -n shmem (net/pod_socket.h).
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace hipr::worker {

bool startedByTensorFusion(const char* programName);

// Bytes of each GPU this worker may give out; 0: all of them. From TF_GPU_MEMORY_LIMIT or TF_CUDA_MEMORY_LIMIT (MB) or,
// where HYPERVISOR_IP is set, from the hypervisor of this node. One that does not answer limits nothing.
std::uint64_t memoryLimit();

// Percent of each GPU's compute units that its clients may use together: TF_CUDA_SM_PERCENT_LIMIT, or all.
std::uint32_t computeLimit();

// The hypervisor's description of this pod; `bytes` is 0 where it sets no limit.
Status parsePodLimit(const std::string& json, std::uint64_t& bytes);

}  // namespace hipr::worker
