# Building takes minutes; most of that is reading the standard library's headers, once per file.
#
# With ccache, what has been compiled before is not compiled again. Where there is none, ./demo has the headers
# precompiled, which halves the time of most files. Only headers of the standard library and of HIP: those of our folders
# stay subject to the layers (hipr.cmake). A file that forgets to include one compiles all the same, so other builds do
# without.
option(HIPR_PRECOMPILE "Precompile the standard library's headers, where there is no ccache" OFF)
find_program(HIPR_CCACHE ccache)
if(HIPR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${HIPR_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HIPR_CCACHE})
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache OR HIPR_SANITIZE OR CMAKE_CROSSCOMPILING OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(HIPR_PRECOMPILE OFF)
endif()

set(HIPR_COMMON_HEADERS <algorithm> <array> <atomic> <bit> <chrono> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility>
  <variant> <vector>)

# Once for all libraries that are compiled with the same options.
function(hipr_precompiled_headers)
  if(NOT HIPR_PRECOMPILE)
    return()
  endif()
  # With precompiled headers GCC 12 warns of overruns inside std::string that it does not see otherwise, and that are not
  # there.
  target_compile_options(hipr_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
    -Wno-stringop-overread)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/precompiled.cpp "// Nothing: only the headers count.\n")
  add_library(hipr_precompiled OBJECT ${PROJECT_BINARY_DIR}/generated/precompiled.cpp)
  target_link_libraries(hipr_precompiled PRIVATE hipr_options)
  target_precompile_headers(hipr_precompiled PRIVATE ${HIPR_COMMON_HEADERS} <hip_remote/hip.h>)
endfunction()

# hipr_precompile(NAME): a library that is compiled with the options of all others.
function(hipr_precompile name)
  if(HIPR_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM hipr_precompiled)
  endif()
endfunction()
