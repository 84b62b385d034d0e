// Starts this same program anew as another process. The new process has an address layout of its own. From its
// supervisor it has only the descriptors it is given, and a brief that says everything else.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "wire/stream.h"

namespace hipr::worker {

// Of those it is given, in the new process; before it are the standard streams and the brief.
inline constexpr int kFirstFile = 4;

// In the supervisor. `option`: what the new process is for. `files`: their order stays; -1 is nothing.
Status startImage(const char* option, const std::vector<std::byte>& brief, std::vector<int> files, pid_t& process);

// In the new process.
bool isImage(int argc, char** argv, const char* option);
bool readBrief(std::vector<std::byte>& bytes);  // once; it is closed then

template <class Brief>
std::vector<std::byte> written(const Brief& brief) {
  std::vector<std::byte> bytes;
  wire::Writer(bytes).put(brief);
  return bytes;
}

// Spans in the brief point into `bytes`.
template <class Brief>
bool takeBrief(std::vector<std::byte>& bytes, Brief& out) {
  if (!readBrief(bytes)) return false;
  wire::Reader reader(bytes);
  reader.get(out);
  return reader.ok() && reader.atEnd();
}

}  // namespace hipr::worker
