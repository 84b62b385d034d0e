#include "base/trace.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <mutex>

#include "base/trace_summary.h"

namespace hipr::trace {
namespace {

// The two processes of the picture: the program, and the machine with the GPU.
constexpr int kProgram = 1, kGpu = 2;
constexpr std::size_t kFlushAt = 1 << 16;  // bytes of text

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += ' ';
    else
      out += c;
  }
  return out + "\"";
}

std::string microseconds(std::uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%" PRIu64 ".%03u", ns / 1000, static_cast<unsigned>(ns % 1000));
  return text;
}

class Writer {
 public:
  void open(const std::string& file, std::uint64_t process) {
    const std::lock_guard lock(mutex_);
    path_ = file;
    if (const std::size_t at = path_.find("%p"); at != std::string::npos) path_.replace(at, 2, std::to_string(process));
  }

  void call(const Span& s) {
    const std::lock_guard lock(mutex_);
    summary_.call(s.name, s.end - s.begin);
    complete(kProgram, s.thread, "hip", s.name, s.begin, s.end, "");
  }

  void hostFunction(const Span& s) {
    const std::lock_guard lock(mutex_);
    complete(kProgram, s.thread, "host", s.name, s.begin, s.end, "");
  }

  void wait(const Span& s, const std::string& module, std::uint64_t sent, std::uint64_t received) {
    const std::lock_guard lock(mutex_);
    summary_.wait(s.name, module, s.end - s.begin);
    summary_.bytes(sent, received);
    complete(kProgram, s.thread, "wait", s.name, s.begin, s.end, "\"module\":" + quoted(module));
    event("{\"ph\":\"C\",\"pid\":" + std::to_string(kProgram) +
          ",\"tid\":0,\"name\":\"bytes on the wire\",\"ts\":" + microseconds(s.end) +
          ",\"args\":{\"sent\":" + std::to_string(sent) + ",\"received\":" + std::to_string(received) + "}}");
  }

  void kernel(const Kernel& k) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t queued = k.begin > k.launched ? k.begin - k.launched : 0;
    summary_.kernel(k.name, k.end - k.begin, queued);
    const std::uint64_t track = trackOf(k);
    const std::string id = std::to_string(++kernels_);
    const std::string head = ",\"cat\":\"queue\",\"id\":" + id + ",\"pid\":" + std::to_string(kGpu) +
                             ",\"tid\":" + std::to_string(track) + ",\"name\":\"queued\",\"ts\":";
    event("{\"ph\":\"b\"" + head + microseconds(k.launched) + ",\"args\":{\"kernel\":" + quoted(k.name) + "}}");
    event("{\"ph\":\"e\"" + head + microseconds(k.launched + queued) + "}");
    complete(kGpu, track, "kernel", k.name, k.begin, k.end, "\"queued_us\":" + microseconds(queued));
  }

  void clock(std::uint64_t ns) {
    const std::lock_guard lock(mutex_);
    summary_.clock(ns);
    event("{\"ph\":\"M\",\"pid\":" + std::to_string(kGpu) +
          ",\"tid\":0,\"name\":\"process_labels\",\"args\":{\"labels\":\"clock known within " + microseconds(ns) +
          " us\"}}");
  }

  void finish() {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr) return;
    flush();
    std::fputs("\n]\n", file_);
    const bool written = std::fclose(file_) == 0;
    file_ = nullptr;
    std::fputs(summary_.text().c_str(), stderr);
    std::fprintf(stderr, written ? "  written to %s: open it in ui.perfetto.dev\n" : "  %s could not be written\n",
                 path_.c_str());
  }

  void forget() { file_ = nullptr; }  // the descriptor is the parent's too, and nothing of ours is left in it

 private:
  // A row of the picture for each stream of each GPU.
  std::uint64_t trackOf(const Kernel& k) {
    const auto [found, isNew] = tracks_.try_emplace({k.device, k.queue}, tracks_.size() + 1);
    if (isNew) {
      const std::string name = "GPU " + std::to_string(k.device) + ", stream " + std::to_string(k.queue);
      event("{\"ph\":\"M\",\"pid\":" + std::to_string(kGpu) + ",\"tid\":" + std::to_string(found->second) +
            ",\"name\":\"thread_name\",\"args\":{\"name\":" + quoted(name) + "}}");
    }
    return found->second;
  }

  void complete(int process, std::uint64_t thread, const char* category, const std::string& name, std::uint64_t begin,
                std::uint64_t end, const std::string& arguments) {
    summary_.span(begin, end);
    event("{\"ph\":\"X\",\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(thread) + ",\"cat\":\"" +
          category + "\",\"name\":" + quoted(name) + ",\"ts\":" + microseconds(begin) +
          ",\"dur\":" + microseconds(end - begin) + ",\"args\":{" + arguments + "}}");
  }

  void event(const std::string& text) {
    if (file_ == nullptr && !begin()) return;
    pending_ += first_ ? "\n" : ",\n";
    pending_ += text;
    first_ = false;
    if (pending_.size() >= kFlushAt) flush();
  }

  bool begin() {
    if (path_.empty()) return false;
    file_ = std::fopen(path_.c_str(), "w");
    if (file_ == nullptr) {
      std::fprintf(stderr, "hip-remote: HIP_REMOTE_TRACE: cannot write %s\n", path_.c_str());
      on.store(false, std::memory_order_relaxed);
      path_.clear();
      return false;
    }
    pending_ = "[";
    first_ = true;
    for (const auto& [process, name] : {std::pair{kProgram, "the program"}, std::pair{kGpu, "the GPU's machine"}})
      event("{\"ph\":\"M\",\"pid\":" + std::to_string(process) +
            ",\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":" + quoted(name) + "}}");
    return true;
  }

  void flush() {
    std::fwrite(pending_.data(), 1, pending_.size(), file_);
    std::fflush(file_);  // a forked child must not have it to write again
    pending_.clear();
  }

  std::mutex mutex_;
  std::string path_, pending_;
  std::FILE* file_ = nullptr;
  bool first_ = true;
  std::uint64_t kernels_ = 0;
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> tracks_;
  Summary summary_;
};

Writer& writer() {
  static auto* const instance = new Writer;  // calls are recorded until the end
  return *instance;
}

}  // namespace

void start(const std::string& file, std::uint64_t process) {
  writer().open(file, process);
  on.store(true, std::memory_order_relaxed);
}
void finish() {
  if (!on.exchange(false)) return;
  writer().finish();
}
void forget() {
  if (!on.exchange(false)) return;
  writer().forget();
}

namespace {
thread_local constinit const char* current = nullptr;
}
const char* currentCall() {
  return current;
}
void enterCall(const char* name) {
  current = name;
}

void call(const Span& span) {
  if (enabled()) writer().call(span);
}
void hostFunction(const Span& span) {
  if (enabled()) writer().hostFunction(span);
}
void wait(const Span& span, const std::string& module, std::uint64_t bytesSent, std::uint64_t bytesReceived) {
  if (enabled()) writer().wait(span, module, bytesSent, bytesReceived);
}
void kernel(const Kernel& kernel) {
  if (enabled()) writer().kernel(kernel);
}
void clockKnownWithin(std::uint64_t nanoseconds) {
  if (enabled()) writer().clock(nanoseconds);
}

}  // namespace hipr::trace
