#include "worker/tensor_fusion.h"

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/env.h"
#include "base/log.h"
#include "net/http_get.h"

namespace hipr::worker {
namespace {

constexpr int kPatience = 3;  // seconds; a client is waiting for this worker
constexpr std::int64_t kMaxMegabytes = std::int64_t{1} << 30;
constexpr const char* kTokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token";

std::string podUrl(const std::string& address) {
  const std::string host = address.find(':') == std::string::npos ? address : "[" + address + "]";
  std::string url = "http://" + host + ":" + envText("HYPERVISOR_PORT").value_or("8001") + "/api/v1/pod";
  if (const auto container = envText("CONTAINER_NAME")) url += "?container_name=" + *container;
  return url;
}

Status askHypervisor(const std::string& url, std::uint64_t& bytes) {
  net::HttpHeaders headers;
  std::ifstream file(envText("HIP_REMOTE_SERVICE_ACCOUNT_TOKEN").value_or(kTokenFile));
  if (std::string token; file >> token) headers.emplace_back("Authorization", "Bearer " + token);
  net::HttpReply reply;
  if (Status status = net::httpGet(url, headers, kPatience, reply); !status.ok()) return status;
  if (reply.status != 200) return Status::unavailable("it said " + std::to_string(reply.status));
  return parsePodLimit(reply.body, bytes);
}

}  // namespace

bool startedByTensorFusion(const char* programName) {
  const char* slash = std::strrchr(programName, '/');
  return std::strcmp(slash ? slash + 1 : programName, "tensor-fusion-worker") == 0;
}

Status parsePodLimit(const std::string& text, std::uint64_t& bytes) {
  const nlohmann::json reply = nlohmann::json::parse(text, nullptr, false);
  if (!reply.is_object()) return Status::invalid("not a JSON object");
  if (!reply.value("success", nlohmann::json(false)).is_boolean() || !reply.value("success", false)) {
    const auto message = reply.find("message");
    return Status::unavailable(message != reply.end() && message->is_string() ? message->get<std::string>()
                                                                              : "no success");
  }
  const auto data = reply.find("data");
  if (data == reply.end() || !data->is_object()) return Status::invalid("no data");
  const auto limit = data->find("vram_limit");
  bytes = limit != data->end() && limit->is_number_unsigned() ? limit->get<std::uint64_t>() : 0;
  return {};
}

std::uint64_t memoryLimit() {
  for (const char* name : {"TF_GPU_MEMORY_LIMIT", "TF_CUDA_MEMORY_LIMIT"}) {
    if (const auto megabytes = envNumber(name, 0, 0, kMaxMegabytes)) return static_cast<std::uint64_t>(megabytes) << 20;
  }
  const auto address = envText("HYPERVISOR_IP");
  if (!address) return 0;
  const std::string url = podUrl(*address);
  std::uint64_t bytes = 0;
  if (Status status = askHypervisor(url, bytes); !status.ok()) {
    logInfo("no memory limit from the hypervisor at %s: %s", url.c_str(), status.message().c_str());
    return 0;
  }
  return bytes;
}

std::uint32_t computeLimit() {
  return static_cast<std::uint32_t>(envNumber("TF_CUDA_SM_PERCENT_LIMIT", 100, 1, 100));
}

}  // namespace hipr::worker
