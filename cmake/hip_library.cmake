# hipr_hip_library(NAME abi OUTPUT_DIR SOURCE core...): libamdhip64.so.<abi> in OUTPUT_DIR of the build tree, made of the
# exported face of that soname (abi/), the runtime, and the cores that SOURCE says it has. With abi 7 there is also a plain
# libamdhip64.so.
function(hipr_hip_library name abi output_dir source)
  set(map ${PROJECT_BINARY_DIR}/maps/libamdhip64.so.${abi}.map)
  add_library(${name} SHARED $<TARGET_OBJECTS:hipr_abi_${abi}> ${source})
  set_target_properties(${name} PROPERTIES
    LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${output_dir}
    OUTPUT_NAME amdhip64
    SUFFIX .so.${abi}  # the soname is the file name
    LINK_DEPENDS ${map})
  add_dependencies(${name} hipr_maps)
  hipr_link(${name} PRIVATE hipr_abi_common ${ARGN})
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
