# Build rules shared by every folder.

option(HIPR_WERROR "Treat compiler warnings as errors" ON)
set(HIPR_ABIS 5 6 7 CACHE STRING "The sonames to build libamdhip64 for; 7 is always needed")
set(HIPR_SANITIZE "" CACHE STRING "Sanitizers for the whole build, e.g. address,undefined or thread")

# Line numbers for backtraces, which is what a release is asked for; full debug information takes half as long again to
# compile (the debug preset has it).
if(NOT MSVC)
  add_compile_options($<$<CONFIG:RelWithDebInfo>:-g1>)
endif()

add_library(hipr_options INTERFACE)
if(MSVC)
  target_compile_options(hipr_options INTERFACE /W3 /utf-8 /Zc:preprocessor /Zc:__cplusplus /EHsc)
else()
  target_compile_options(hipr_options INTERFACE -Wall -Wextra $<$<BOOL:${HIPR_WERROR}>:-Werror>)
endif()
if(WIN32)
  target_compile_definitions(hipr_options INTERFACE _WIN32_WINNT=0x0A00)  # Windows 10
endif()
if(APPLE)
  target_compile_options(hipr_options INTERFACE -Wunguarded-availability)  # nothing newer than the oldest macOS we serve
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(hipr_options INTERFACE -Wno-deprecated-declarations)  # libstdc++ 12's own stable_sort
endif()
# Optimising with -O3, GCC 12 takes the two halves of std::string's own insert() for overlapping memory, as in
# "text" + std::to_string(n) (GCC bug 105651). The other configurations keep the check.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(hipr_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
target_include_directories(hipr_options INTERFACE ${PROJECT_SOURCE_DIR}/include)
if(HIPR_SANITIZE)
  # Not enum: programs written in C may pass any number for an enumeration, and get an error for it.
  add_compile_options(-fsanitize=${HIPR_SANITIZE} -fno-sanitize=enum -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HIPR_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # one copy of its library, as GCC has it, for programs and what they load
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    cmake_path(GET runtime PARENT_PATH runtime)
    add_link_options(-shared-libsan LINKER:-rpath,${runtime})
    add_compile_options(-fno-sanitize=function)  # libraries that are loaded are called by declarations of our own
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-maybe-uninitialized)  # instrumented, std::regex looks so to GCC 12
  endif()
  if(HIPR_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-tsan)  # fences are not modelled; we use them only next to atomics
  endif()
endif()

# Layers: a target can include the headers of its own folder and of the folders it depends on, and no others. So what a
# folder may use is what its DEPENDS say, and they may not go in circles.
set_property(GLOBAL PROPERTY GLOBAL_DEPENDS_NO_CYCLES ON)

# hipr_layer(OUT): the target that lets its users include "folder/header.h" of this folder. The include directory behind
# it holds nothing but a link to the folder (which brings the folders inside it along).
function(hipr_layer out)
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE / . name ${folder})
  set(layer hipr_layer_${name})
  set(${out} ${layer} PARENT_SCOPE)
  if(TARGET ${layer})
    return()
  endif()
  set(directory ${PROJECT_BINARY_DIR}/layers/${name})
  cmake_path(GET folder PARENT_PATH parent)
  file(MAKE_DIRECTORY ${directory}/${parent})
  add_library(${layer} INTERFACE)
  if(CMAKE_HOST_WIN32)  # where links are for administrators: the layers are checked elsewhere
    target_include_directories(${layer} INTERFACE ${PROJECT_SOURCE_DIR})
    return()
  endif()
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${directory}/${folder} SYMBOLIC)
  target_include_directories(${layer} INTERFACE ${directory})
  target_compile_options(${layer} INTERFACE -ffile-prefix-map=${directory}/=${PROJECT_SOURCE_DIR}/)  # where it really is
endfunction()

# hipr_link(NAME PUBLIC|PRIVATE|INTERFACE [target...]): a target of this folder uses those targets, by their code and headers.
function(hipr_link name visibility)
  hipr_layer(own)
  target_link_libraries(${name} ${visibility} hipr_options ${own} ${ARGN})
endfunction()

# hipr_hide_archives(NAME PUBLIC|PRIVATE|INTERFACE archive...): what is linked from these archives, or ALL, is not exported. zig's linker
# knows no such option; libraries that it makes have version scripts, or nothing in their archives that asks to be exported.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:--exclude-libs,ALL HIPR_LINKER_HIDES_ARCHIVES)
function(hipr_hide_archives name visibility)
  list(JOIN ARGN : archives)
  if(HIPR_LINKER_HIDES_ARCHIVES)
    target_link_options(${name} ${visibility} LINKER:--exclude-libs,${archives})
  endif()
endfunction()

# hipr_library(NAME SOURCES... [DEPENDS target...] [PRIVATE target...] [OFTEN <header>...]): a static library of one folder. Who
# depends on it can include what its DEPENDS have too, because its headers may; only its sources see the headers of PRIVATE targets.
# OFTEN are headers that most of its files include (compile_time.cmake).
function(hipr_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS;PRIVATE;OFTEN" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  hipr_link(${name} PUBLIC ${arg_DEPENDS})
  target_link_libraries(${name} PRIVATE ${arg_PRIVATE})
  hipr_precompile(${name} ${arg_OFTEN})
  hipr_compile_together(${name})
endfunction()

# hipr_test_library(NAME ...): the same, for tests.
function(hipr_test_library name)
  hipr_library(${name} ${ARGN})
  if(CMAKE_CROSSCOMPILING)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# hipr_headers(NAME [DEPENDS target...]): the headers of one folder, for those that need no more of it.
function(hipr_headers name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  add_library(${name} INTERFACE)
  hipr_link(${name} INTERFACE ${arg_DEPENDS})
endfunction()

# hipr_generator(NAME SOURCES...): a program that writes sources or lists while the project is built, so it is built for the
# machine that builds. It may include what is under the root and include/. Sets NAME_COMMAND in the caller's scope.
function(hipr_generator name)
  if(NOT CMAKE_CROSSCOMPILING)
    add_executable(${name} ${ARGN})
    hipr_link(${name} PRIVATE hipr_api)
    target_compile_options(${name} PRIVATE $<$<NOT:$<BOOL:${MSVC}>>:-O0>)  # it runs for a moment; optimising it takes ten seconds
    set(${name}_COMMAND ${name} PARENT_SCOPE)
    return()
  endif()
  find_program(HIPR_HOST_CXX NAMES c++ g++ clang++ REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  set(program ${PROJECT_BINARY_DIR}/host/${name})
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(GLOB rows CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/api/*.def ${PROJECT_SOURCE_DIR}/api/hip/*.def ${CMAKE_CURRENT_SOURCE_DIR}/*.def)
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/host
    COMMAND ${HIPR_HOST_CXX} -std=c++20 -O1 -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include ${ARGN} -o ${program}
    DEPENDS ${ARGN} ${rows}
    COMMENT "Building ${name} for this machine")
  add_custom_target(${name} DEPENDS ${program})
  set(${name}_COMMAND ${program} PARENT_SCOPE)
endfunction()

# GoogleTest: the system's, or for another system Debian's sources of it.
function(hipr_gtest)
  if(NOT CMAKE_CROSSCOMPILING)
    find_package(GTest REQUIRED)
    return()
  endif()
  if(NOT TARGET hipr_gtest_main)
    add_library(hipr_gtest_main STATIC EXCLUDE_FROM_ALL /usr/src/googletest/googletest/src/gtest-all.cc
      /usr/src/googletest/googletest/src/gtest_main.cc)
    target_include_directories(hipr_gtest_main SYSTEM PUBLIC /usr/src/googletest/googletest/include PRIVATE /usr/src/googletest/googletest)
    target_link_libraries(hipr_gtest_main PUBLIC Threads::Threads)
    target_compile_options(hipr_gtest_main PRIVATE -w)
    add_library(GTest::gtest ALIAS hipr_gtest_main)
    add_library(GTest::gtest_main ALIAS hipr_gtest_main)
  endif()
endfunction()

# hipr_test(NAME SOURCES... [DEPENDS target...]): a GoogleTest program registered with CTest.
function(hipr_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  hipr_gtest()
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT CMAKE_CROSSCOMPILING)
    # Before our archives: their members have copies of its functions, and one that is taken for those brings along what it needs.
    target_link_libraries(${name} PRIVATE stdc++)
  endif()
  hipr_link(${name} PRIVATE ${arg_DEPENDS} GTest::gtest GTest::gtest_main)
  if(CMAKE_CROSSCOMPILING)  # only those that tests/cross names are built
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set(options $<$<CONFIG:RelWithDebInfo>:-O1>)  # what is tested is optimised; tests need not be
  target_compile_options(${name} PRIVATE ${options})
  hipr_precompile_test(${name} ${options})
  hipr_compile_together(${name})
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# hipr_test_compiles_kernels(NAME): such a test calls clang, and is told where ROCm's device libraries are.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/device_libraries.sh
  OUTPUT_VARIABLE HIPR_DEVICE_LIBRARIES OUTPUT_STRIP_TRAILING_WHITESPACE)
function(hipr_test_compiles_kernels name)
  if(TARGET ${name})
    target_compile_definitions(${name} PRIVATE HIPR_DEVICE_LIBRARIES="${HIPR_DEVICE_LIBRARIES}")
  endif()
endfunction()

# hipr_fuzzer(NAME SOURCE [DEPENDS target...]): one file defining LLVMFuzzerTestOneInput. It is built against
# fuzz/driver.cpp, which replays a corpus and a bounded number of mutations, so it runs with any compiler; in the preset
# "asan", with clang's libFuzzer, which looks at what each input reaches. See tests/fuzz/README.md.
option(HIPR_LIBFUZZER "Link fuzzers with clang's libFuzzer" OFF)
if(HIPR_LIBFUZZER)
  add_custom_target(fuzzers)
endif()
function(hipr_fuzzer name source)
  if(NOT BUILD_TESTING OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  if(HIPR_LIBFUZZER)
    add_executable(${name} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/write_seeds.cpp)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer -static-libsan)  # shared, it would come behind libraries of libFuzzer
    add_dependencies(fuzzers ${name})
  else()
    if(NOT TARGET hipr_fuzz_driver)
      add_library(hipr_fuzz_driver STATIC ${PROJECT_SOURCE_DIR}/tests/fuzz/driver.cpp)
      hipr_link(hipr_fuzz_driver PRIVATE hipr_fuzz_headers)
    endif()
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE hipr_fuzz_driver)
    add_test(NAME ${name} COMMAND ${name} --corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
  hipr_link(${name} PRIVATE hipr_fuzz_headers ${arg_DEPENDS})
endfunction()
