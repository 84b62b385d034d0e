// What things are called on this system.
#pragma once

namespace hipr::cli {

#if defined(_WIN32)
inline constexpr char kHipLibrary[] = "amdhip64_7.dll";
inline constexpr char kSetVariable[] = "set %s=%s\n";  // as the shell has it
// Where our libraries are, seen from this program: in a build tree, and installed.
inline constexpr const char* kLibraryFolders[] = {"."};
#elif defined(__APPLE__)
inline constexpr char kHipLibrary[] = "libamdhip64.7.dylib";
inline constexpr char kSetVariable[] = "export %s='%s'\n";
inline constexpr const char* kLibraryFolders[] = {"../lib", "../lib/hip-remote"};
#else
inline constexpr char kHipLibrary[] = "libamdhip64.so.7";
inline constexpr char kSetVariable[] = "export %s='%s'\n";
inline constexpr const char* kLibraryFolders[] = {"../lib", "../lib/hip-remote", "../lib/x86_64-linux-gnu/hip-remote",
                                                  "../lib/aarch64-linux-gnu/hip-remote"};
#endif

}  // namespace hipr::cli
