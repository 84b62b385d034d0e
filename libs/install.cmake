# FHS layout. The libraries live in a folder of their own, so that installing them never shadows a real ROCm; a program
# gets them by LD_LIBRARY_PATH.
include(CMakePackageConfigHelpers)
set(HIPR_INSTALL_LIBDIR ${CMAKE_INSTALL_LIBDIR}/hip-remote)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hip-remote)

foreach(abi IN ITEMS 5 6 7)
  if(TARGET hip_client_${abi})
    install(TARGETS hip_client_${abi} LIBRARY DESTINATION ${HIPR_INSTALL_LIBDIR})
  endif()
  if(TARGET hip_softgpu_${abi})
    install(TARGETS hip_softgpu_${abi} LIBRARY DESTINATION ${HIPR_INSTALL_LIBDIR}/softgpu)
  endif()
endforeach()
# The plain names that linking looks for.
if(TARGET hip_client_7)
  install(FILES ${PROJECT_BINARY_DIR}/lib/libamdhip64.so DESTINATION ${HIPR_INSTALL_LIBDIR})
endif()
if(TARGET hip_softgpu_7)
  install(FILES ${PROJECT_BINARY_DIR}/lib/softgpu/libamdhip64.so DESTINATION ${HIPR_INSTALL_LIBDIR}/softgpu)
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hip_remote DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(hip-remote-config.cmake.in hip-remote-config.cmake
  INSTALL_DESTINATION ${package_dir}
  PATH_VARS HIPR_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(hip-remote-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hip-remote-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/hip-remote-config-version.cmake
  DESTINATION ${package_dir})

configure_file(hip-remote.pc.in hip-remote.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/hip-remote.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
