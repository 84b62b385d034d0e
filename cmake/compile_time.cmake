# Building takes minutes; most of that is reading the standard library's headers, once per file.
#
# With ccache, what has been compiled before is not compiled again. Where there is none, headers are precompiled, which halves the
# time of most files: of the standard library, of HIP and of GoogleTest, and for a large folder those of its own that most of its
# files include. A file that forgets to include one compiles all the same, so the preset "debug" and the part tidy of ./test do without.
option(HIPR_PRECOMPILE "Precompile the standard library's headers for the product too, where there is no ccache" OFF)
find_program(HIPR_CCACHE ccache)
if(HIPR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${HIPR_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HIPR_CCACHE})
endif()
set(HIPR_CAN_PRECOMPILE ON)
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache OR NOT CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang)$")
  set(HIPR_CAN_PRECOMPILE OFF)
endif()

set(HIPR_COMMON_HEADERS <algorithm> <array> <atomic> <bit> <chrono> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <tuple> <unordered_map> <utility>
  <variant> <vector> <hip_remote/hip.h>)

# With precompiled headers GCC 12 warns of overruns inside std::string that it does not see otherwise, and that are not there.
set(HIPR_FALSE_ALARMS)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(HIPR_FALSE_ALARMS -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
endif()

# hipr_use_precompiled(NAME FROM HEADERS... [OPTIONS option...] [LINK target...]): the headers, precompiled once for all
# that are compiled with these options, as the target FROM.
function(hipr_use_precompiled name from)
  cmake_parse_arguments(arg "" "" "OPTIONS;LINK" ${ARGN})
  if(NOT TARGET ${from})
    file(WRITE ${PROJECT_BINARY_DIR}/generated/${from}.cpp "int main() {}  // only the headers count\n")
    get_target_property(type ${name} TYPE)  # code of programs and of libraries is compiled differently
    if(type STREQUAL EXECUTABLE)
      add_executable(${from} ${PROJECT_BINARY_DIR}/generated/${from}.cpp)
    else()
      add_library(${from} OBJECT ${PROJECT_BINARY_DIR}/generated/${from}.cpp)
    endif()
    target_link_libraries(${from} PRIVATE hipr_options ${arg_LINK})
    target_compile_options(${from} PRIVATE ${arg_OPTIONS} ${HIPR_FALSE_ALARMS})
    target_precompile_headers(${from} PRIVATE ${arg_UNPARSED_ARGUMENTS})
  endif()
  target_compile_options(${name} PRIVATE ${HIPR_FALSE_ALARMS})
  target_precompile_headers(${name} REUSE_FROM ${from})
endfunction()

# hipr_precompile(NAME [<HEADER>...]): a library that is compiled with the options of all others; with headers, which are
# precompiled for it alone, any target.
function(hipr_precompile name)
  if(NOT HIPR_PRECOMPILE OR NOT HIPR_CAN_PRECOMPILE)
    return()
  endif()
  if(ARGN)
    target_compile_options(${name} PRIVATE ${HIPR_FALSE_ALARMS})
    target_precompile_headers(${name} PRIVATE ${HIPR_COMMON_HEADERS} ${ARGN})
  else()
    hipr_use_precompiled(${name} hipr_precompiled ${HIPR_COMMON_HEADERS})
  endif()
endfunction()

# hipr_precompile_test(NAME OPTIONS...): a test that is compiled with the options of all tests.
function(hipr_precompile_test name)
  if(HIPR_CAN_PRECOMPILE AND NOT CMAKE_CROSSCOMPILING)  # where only few are built
    hipr_use_precompiled(${name} hipr_precompiled_tests ${HIPR_COMMON_HEADERS} <gtest/gtest.h> OPTIONS ${ARGN} LINK GTest::gtest)
  endif()
endfunction()
