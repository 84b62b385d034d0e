// Finding and loading the code objects that build.sh puts into modules/ beside the test programs.
#pragma once
#include <fstream>
#include <iterator>

#include "support.h"
#include "system.h"

inline std::string modulePath(const std::string& name) {
  const std::string path = os::programPath();
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
