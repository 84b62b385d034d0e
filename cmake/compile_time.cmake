# Building takes minutes; most of that is reading the standard library's headers, once per file.
#
# With ccache, what has been compiled before is not compiled again. Without it the headers are precompiled: ccache would
# otherwise not know what a file depends on. Only headers of the standard library and of HIP: those of our folders stay
# subject to the layers (hipr.cmake).
option(HIPR_PRECOMPILE "Precompile the standard library's headers, where there is no ccache" ON)
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

# What is precompiled serves libraries and programs alike if it is made with their options, so it is made twice.
function(hipr_precompiled_headers)
  if(NOT HIPR_PRECOMPILE)
    return()
  endif()
  # With precompiled headers GCC 12 warns of overruns inside std::string that it does not see otherwise, and that are not
  # there. Builds with ccache and those under the sanitizers keep these warnings.
  target_compile_options(hipr_options INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/precompiled.cpp "// Nothing: only the headers count.\n")
  foreach(kind IN ITEMS library program)
    set(name hipr_precompiled_${kind})
    if(kind STREQUAL library)
      add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/generated/precompiled.cpp)
    else()
      add_executable(${name} EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/precompiled.cpp)
    endif()
    target_link_libraries(${name} PRIVATE hipr_options)
    target_precompile_headers(${name} PRIVATE ${HIPR_COMMON_HEADERS} <hip_remote/hip.h>)
  endforeach()
endfunction()

# hipr_precompile(NAME library|program): a target of this project that is compiled with the options of all others.
function(hipr_precompile name kind)
  if(HIPR_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM hipr_precompiled_${kind})
  endif()
endfunction()
