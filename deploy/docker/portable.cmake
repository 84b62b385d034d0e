# Given to CMake as CMAKE_PROJECT_INCLUDE when images are built: what comes out must run in containers that are not ours, so
# it may need a C library and nothing else.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
foreach(kind IN ITEMS SHARED MODULE EXE)
  string(APPEND CMAKE_${kind}_LINKER_FLAGS " -static-libstdc++ -static-libgcc")
endforeach()
