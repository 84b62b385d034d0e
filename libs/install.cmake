# FHS layout. The libraries live in a folder of their own, so that installing them never shadows a real ROCm; a program
# gets them by LD_LIBRARY_PATH. On Windows, where a folder is what one unpacks: bin, lib and include.
include(CMakePackageConfigHelpers)
if(WIN32)
  foreach(abi IN LISTS HIPR_ABIS)
    install(TARGETS hip_client_${abi} RUNTIME DESTINATION bin ARCHIVE DESTINATION lib)
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hip_remote DESTINATION include)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/hello_hip DESTINATION examples)
  install(FILES ${PROJECT_SOURCE_DIR}/deploy/windows/install.ps1 ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION .)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/windows.md DESTINATION docs)
  set(package ${PROJECT_BINARY_DIR}/hip-remote-windows-x86_64)
  add_custom_target(zip
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${package} ${package}.zip
    COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${package} --strip
    COMMAND ${CMAKE_COMMAND} -E chdir ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} -E tar cf ${package}.zip --format=zip hip-remote-windows-x86_64
    COMMENT "Packing ${package}.zip")
  return()
endif()
set(HIPR_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR}/hip-remote)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hip-remote)

foreach(abi IN ITEMS 5 6 7)
  if(TARGET hip_client_${abi})
    install(TARGETS hip_client_${abi} LIBRARY DESTINATION ${HIPR_INSTALL_LIBDIR} COMPONENT client)
  endif()
  if(TARGET hip_softgpu_${abi})
    install(TARGETS hip_softgpu_${abi} LIBRARY DESTINATION ${HIPR_INSTALL_LIBDIR}/softgpu COMPONENT softgpu)
  endif()
endforeach()
foreach(abi IN LISTS HIPR_ABIS)
  if(TARGET hiprtc_lib_${abi})
    install(TARGETS hiprtc_lib_${abi} LIBRARY DESTINATION ${HIPR_INSTALL_LIBDIR} COMPONENT client)
  endif()
  if(TARGET hiprtc_lib_softgpu_${abi})
    install(TARGETS hiprtc_lib_softgpu_${abi} LIBRARY DESTINATION ${HIPR_INSTALL_LIBDIR}/softgpu COMPONENT softgpu)
  endif()
endforeach()
# The plain names that linking looks for.
if(TARGET hip_client_7)
  install(FILES ${PROJECT_BINARY_DIR}/lib/libamdhip64${CMAKE_SHARED_LIBRARY_SUFFIX} DESTINATION ${HIPR_INSTALL_LIBDIR} COMPONENT client)
endif()
if(TARGET hip_softgpu_7)
  install(FILES ${PROJECT_BINARY_DIR}/lib/softgpu/libamdhip64.so DESTINATION ${HIPR_INSTALL_LIBDIR}/softgpu COMPONENT softgpu)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hip_remote DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

configure_package_config_file(hip-remote-config.cmake.in hip-remote-config.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS HIPR_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(hip-remote-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hip-remote-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/hip-remote-config-version.cmake
  DESTINATION ${package_dir} COMPONENT dev)

# Found from where the file is, so that it is right wherever the installation ends up.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(hip-remote.pc.in hip-remote.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hip-remote.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
