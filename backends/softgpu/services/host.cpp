#include "backends/softgpu/services/host.h"

#include <cstdio>

namespace hipr::softgpu {

void writeToProcess(Stream stream, std::string_view text) {
  std::FILE* file = stream == Stream::kStderr ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

}  // namespace hipr::softgpu
