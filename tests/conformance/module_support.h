// Finding and loading the code objects that build.sh puts into modules/ beside the test programs.
#pragma once
#ifdef _WIN32
#include <stdlib.h>
#else
#include <unistd.h>
#endif

#include <fstream>
#include <iterator>

#include "support.h"

inline std::string modulePath(const std::string& name) {
#ifdef _WIN32
  const std::string path = _pgmptr;
#else
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self);
  const std::string path(self, n > 0 ? static_cast<std::size_t>(n) : 0);
#endif
  return path.substr(0, path.find_last_of("/\\")) + "/modules/" + name;
}

inline std::vector<char> moduleBytes(const std::string& name) {
  std::ifstream in(modulePath(name), std::ios::binary);
  if (!in) SKIP("this toolchain made no " + name);
  return std::vector<char>(std::istreambuf_iterator<char>(in), {});
}

class Module {
 public:
  explicit Module(const std::string& name = "scale.bundle") : image_(moduleBytes(name)) {
    HIP(hipModuleLoadData(&module_, image_.data()));
  }
  Module(const Module&) = delete;
  ~Module() { (void)hipModuleUnload(module_); }
  operator hipModule_t() const { return module_; }
  hipFunction_t function(const char* name) const {
    hipFunction_t f = nullptr;
    HIP(hipModuleGetFunction(&f, module_, name));
    return f;
  }

 private:
  std::vector<char> image_;
  hipModule_t module_ = nullptr;
};
