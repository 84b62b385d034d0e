// AMD's library as a telemetry source: finds its GPUs and asks each in turn.
#include "telemetry/amdsmi.h"

#include <algorithm>
#include <vector>

#include "telemetry/amdsmi_gpu.h"

namespace hipr::telemetry {
namespace amdsmi {
namespace {

constexpr std::uint32_t kGpuProcessor = 1;
constexpr std::uint32_t kMostHandles = 4096;  // a count beyond this is not a machine

std::vector<Handle> gpuHandles(const Library& library) {
  std::uint32_t sockets = 0;
  if (library.get_socket_handles(&sockets, nullptr) != kSuccess || sockets > kMostHandles) return {};
  std::vector<Handle> socket(sockets), found;
  if (library.get_socket_handles(&sockets, socket.data()) != kSuccess) return {};
  socket.resize(std::min<std::size_t>(socket.size(), sockets));
  for (Handle parent : socket) {
    std::uint32_t processors = 0;
    if (library.get_processor_handles(parent, &processors, nullptr) != kSuccess || processors > kMostHandles) continue;
    std::vector<Handle> handles(processors);
    if (library.get_processor_handles(parent, &processors, handles.data()) != kSuccess) continue;
    handles.resize(std::min<std::size_t>(handles.size(), processors));
    for (Handle handle : handles) {
      std::uint32_t type = 0;
      if (library.get_processor_type(handle, &type) == kSuccess && type == kGpuProcessor) found.push_back(handle);
    }
  }
  return found;
}

class AmdSmi final : public Source {
 public:
  explicit AmdSmi(const Library& library) : library_(library), handles_(gpuHandles(library_)) {
    for (Handle handle : handles_) {
      gpus_.push_back(describe(library_, handle));
      readers_.emplace_back(library_, handle);
    }
    for (std::uint32_t from = 0; from < handles_.size(); ++from)
      for (std::uint32_t to = 0; to < handles_.size(); ++to) {
        if (from == to) continue;
        links_.push_back(linkBetween(library_, handles_[from], handles_[to]));
        links_.back().from = from;
        links_.back().to = to;
      }
  }
  ~AmdSmi() override { library_.shut_down(); }

  std::string_view kind() const override { return "amdsmi"; }
  std::string libraryVersion() const override { return "AMD SMI " + library_.version.text(); }
  const std::vector<Gpu>& gpus() const override { return gpus_; }
  const std::vector<Link>& links() const override { return links_; }

  std::vector<Reading> read() override {
    std::vector<Reading> readings;
    for (Reader& reader : readers_) readings.push_back(reader.read());
    return readings;
  }

  std::vector<Process> processes() override {
    std::vector<Process> all;
    for (std::uint32_t i = 0; i < handles_.size(); ++i)
      for (Process& process : processesOf(library_, handles_[i], i)) all.push_back(std::move(process));
    return all;
  }

 private:
  const Library library_;
  const std::vector<Handle> handles_;
  std::vector<Gpu> gpus_;
  std::vector<Link> links_;
  std::vector<Reader> readers_;
};

Status start(const Library& library, SourcePtr& source) {
  auto smi = std::make_unique<AmdSmi>(library);
  if (smi->gpus().empty()) return Status::notFound("AMD's SMI library sees no GPU");
  source = std::move(smi);
  return {};
}

}  // namespace

Status open(const std::string& path, SourcePtr& source) {
  Library library;
  if (Status status = load(path, library); !status.ok()) return status;
  return start(library, source);
}

}  // namespace amdsmi

Status openAmdSmi(SourcePtr& source) {
  amdsmi::Library library;
  if (Status status = amdsmi::loadAny(library); !status.ok()) return status;
  return amdsmi::start(library, source);
}

}  // namespace hipr::telemetry
