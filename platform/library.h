// Dynamic libraries that are looked for at run time.
#pragma once

#include <string>

namespace hipr::platform {

// A library stays loaded once it is open: its threads and our pointers into it outlive whoever opened it.
class Library {
 public:
  // A path, or a name that the system's loader searches for. `why` (if given) gets the loader's sentence on failure.
  static Library open(const std::string& path, std::string* why = nullptr);

  explicit operator bool() const { return handle_ != nullptr; }
  void* symbol(const char* name) const;            // null when it has none of that name
  static std::string fileOf(const void* address);  // of the library that the address is in; empty when unknown

  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* handle_ = nullptr;
};

// How libraries are found here, for programs that start others.
extern const char* const kLibraryPathVariable;  // LD_LIBRARY_PATH, DYLD_LIBRARY_PATH, PATH
extern const char kPathSeparator;               // between the folders in it

}  // namespace hipr::platform
