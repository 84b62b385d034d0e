# Build rules shared by every folder.

option(HIPR_WERROR "Treat compiler warnings as errors" ON)
set(HIPR_ABIS 5 6 7 CACHE STRING "The sonames to build libamdhip64 for; 7 is always needed")
set(HIPR_SANITIZE "" CACHE STRING "Sanitizers for the whole build, e.g. address,undefined or thread")

# Line numbers for backtraces, which is what a release is asked for; full debug information takes half as long again to
# compile (the debug preset has it).
add_compile_options($<$<CONFIG:RelWithDebInfo>:-g1>)

add_library(hipr_options INTERFACE)
target_compile_options(hipr_options INTERFACE -Wall -Wextra $<$<BOOL:${HIPR_WERROR}>:-Werror>)
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
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${directory}/${folder} SYMBOLIC)
  add_library(${layer} INTERFACE)
  target_include_directories(${layer} INTERFACE ${directory})
  target_compile_options(${layer} INTERFACE -ffile-prefix-map=${directory}/=${PROJECT_SOURCE_DIR}/)  # where it really is
endfunction()

# hipr_link(NAME PUBLIC|PRIVATE|INTERFACE [target...]): a target of this folder uses those targets, by their code and headers.
function(hipr_link name visibility)
  hipr_layer(own)
  target_link_libraries(${name} ${visibility} hipr_options ${own} ${ARGN})
endfunction()

# hipr_library(NAME SOURCES... [DEPENDS target...] [PRIVATE target...]): a static library of one folder. Who depends on it
# can include what its DEPENDS have too, because its headers may; only its sources see the headers of PRIVATE targets.
function(hipr_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  hipr_link(${name} PUBLIC ${arg_DEPENDS})
  target_link_libraries(${name} PRIVATE ${arg_PRIVATE})
endfunction()

# hipr_headers(NAME [DEPENDS target...]): the headers of one folder, for those that need no more of it.
function(hipr_headers name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  add_library(${name} INTERFACE)
  hipr_link(${name} INTERFACE ${arg_DEPENDS})
endfunction()

# hipr_test(NAME SOURCES... [DEPENDS target...]): a GoogleTest program registered with CTest.
function(hipr_test name)
  if(NOT BUILD_TESTING)
    return()
  endif()
  find_package(GTest REQUIRED)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  hipr_link(${name} PRIVATE ${arg_DEPENDS} GTest::gtest GTest::gtest_main)
  target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)  # what is tested is optimised; tests need not be
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# hipr_fuzzer(NAME SOURCE [DEPENDS target...]): one file defining LLVMFuzzerTestOneInput. It is built against
# fuzz/driver.cpp, which replays a corpus and a bounded number of mutations, so it runs with any compiler; in the preset
# "fuzz", with clang's libFuzzer, which looks at what each input reaches. See tests/fuzz/README.md.
option(HIPR_LIBFUZZER "Link fuzzers with clang's libFuzzer" OFF)
if(HIPR_LIBFUZZER)
  add_custom_target(fuzzers)
endif()
function(hipr_fuzzer name source)
  if(NOT BUILD_TESTING)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  if(HIPR_LIBFUZZER)
    add_executable(${name} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/write_seeds.cpp)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
  else()
    add_executable(${name} ${source} ${PROJECT_SOURCE_DIR}/tests/fuzz/driver.cpp)
    add_test(NAME ${name} COMMAND ${name} --corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
  hipr_link(${name} PRIVATE hipr_fuzz_headers ${arg_DEPENDS})
endfunction()
