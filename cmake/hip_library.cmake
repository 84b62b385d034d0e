# hipr_hip_library(NAME abi OUTPUT_DIR SOURCE core...): the HIP library of that ABI in OUTPUT_DIR of the build tree, made of the
# exported face of that ABI (abi/), the runtime, and the cores that SOURCE says it has. What it is called, how it says what it
# exports, and how it comes to stay loaded is the system's.
function(hipr_hip_library name abi output_dir source)
  add_library(${name} SHARED $<TARGET_OBJECTS:hipr_abi_${abi}> ${source})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${output_dir})
  add_dependencies(${name} hipr_maps)
  hipr_link(${name} PRIVATE hipr_abi_common ${ARGN})
  if(WIN32)
    hipr_windows_library(${name} ${abi})
  elseif(APPLE)
    hipr_macos_library(${name} ${abi} ${output_dir})
  else()
    hipr_linux_library(${name} ${abi} ${output_dir})
  endif()
endfunction()

# libamdhip64.so.<abi>, and for 7 a plain libamdhip64.so.
function(hipr_linux_library name abi output_dir)
  set(map ${PROJECT_BINARY_DIR}/maps/libamdhip64.so.${abi}.map)
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME amdhip64
    SUFFIX .so.${abi}  # the soname is the file name
    LINK_DEPENDS ${map})
  target_link_options(${name} PRIVATE
    LINKER:--version-script=${map}
    LINKER:-Bsymbolic     # our own functions, whatever else in the process has their names
    LINKER:-z,now         # no lazy binding inside a timed call
    LINKER:-z,relro
    LINKER:-z,nodelete    # our threads and per-thread destructors outlive a dlclose
  )
  if(NOT HIPR_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
  if(abi EQUAL 7)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink libamdhip64.so.7 ${PROJECT_BINARY_DIR}/${output_dir}/libamdhip64.so)
  endif()
endfunction()

# AMD's names: amdhip64.dll is that of HIP 5, amdhip64_6.dll and amdhip64_7.dll follow. What programs are linked with is
# amdhip64.lib, the import library of the newest.
function(hipr_windows_library name abi)
  set(library amdhip64_${abi})
  if(abi EQUAL 5)
    set(library amdhip64)
  endif()
  set(import amdhip64_${abi})
  if(abi EQUAL 7)
    set(import amdhip64)
  endif()
  set(definition ${PROJECT_BINARY_DIR}/maps/${library}.def)
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${library} ARCHIVE_OUTPUT_NAME ${import}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
    LINK_DEPENDS ${definition})
  if(MSVC)
    target_link_options(${name} PRIVATE /DEF:${definition})
  else()
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/platform/entry_windows.cpp)
    target_link_options(${name} PRIVATE ${definition} LINKER:--no-insert-timestamp LINKER:-e,hiprLibraryEntry)
    set_target_properties(${name} PROPERTIES IMPORT_PREFIX "" IMPORT_SUFFIX .lib)  # GNU's linker takes it by that name too
  endif()
endfunction()

# hipr_own_allocation(NAME): a library for macOS that zig makes has its C++ library in it, and zig's linker heeds no list of what to
# export; so operator new and its like are hidden one by one. Apple's tools need none of it.
function(hipr_own_allocation name)
  if(APPLE AND CMAKE_CROSSCOMPILING)
    set(source ${PROJECT_SOURCE_DIR}/platform/allocation_macos.cpp)
    target_sources(${name} PRIVATE ${source})
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -fvisibility-global-new-delete=force-hidden)
  endif()
endfunction()

# libamdhip64.<abi>.dylib, to be found by a run path; for 7 a plain libamdhip64.dylib.
function(hipr_macos_library name abi output_dir)
  set(list ${PROJECT_BINARY_DIR}/maps/libamdhip64.${abi}.symbols)
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME amdhip64.${abi}
    INSTALL_NAME_DIR @rpath BUILD_WITH_INSTALL_NAME_DIR ON
    LINK_DEPENDS ${list})
  target_link_options(${name} PRIVATE
    LINKER:-compatibility_version,${abi}.0.0 LINKER:-current_version,${abi}.0.0
    LINKER:-exported_symbols_list,${list})
  hipr_own_allocation(${name})
  if(abi EQUAL 7)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E create_symlink libamdhip64.7.dylib ${PROJECT_BINARY_DIR}/${output_dir}/libamdhip64.dylib)
  endif()
endfunction()
