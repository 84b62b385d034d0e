#include "backends/softgpu/services/host.h"

#include <cstdio>

namespace hipr::softgpu {

void writeToProcess(OutputStream stream, std::string_view text) {
  std::FILE* file = stream == OutputStream::kStderr ? stderr : stdout;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fflush(file);
}

}  // namespace hipr::softgpu
