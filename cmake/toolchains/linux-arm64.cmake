# ARM64 Linux with glibc 2.31 (Debian 11, Ubuntu 20.04) or later.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(HIPR_ZIG_TARGET aarch64-linux-gnu.2.31)
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
