# Debian packages: `cpack` in the build folder makes hip-remote-{client,worker,tools,softgpu,dev}. They install on Debian 12,
# where they are built, and on anything newer with its libraries.
if(NOT HIPR_SOFTGPU_LEVELS STREQUAL all)  # as ./demo leaves it
  file(WRITE ${PROJECT_BINARY_DIR}/packaging/refuse.cmake
    "message(FATAL_ERROR \"softgpu is built for this machine's CPU alone; for packages: cmake --preset packages && cmake --build build\")\n")
  set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/packaging/refuse.cmake)
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hip-remote)
set(CPACK_PACKAGE_VENDOR "The HIP Remote authors")
set(CPACK_PACKAGE_CONTACT "The HIP Remote authors <hip-remote@packages.invalid>" CACHE STRING "Who answers for the packages")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL client worker tools softgpu dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~local1)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)

# hipr_package(COMPONENT SECTION SUMMARY DESCRIPTION [RECOMMENDS...])
function(hipr_package component section summary description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME hip-remote-${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
  string(JOIN ", " recommends ${ARGN})
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${recommends}" PARENT_SCOPE)
  set(doc ${CMAKE_INSTALL_DATADIR}/doc/hip-remote-${component})
  install(FILES ${PROJECT_BINARY_DIR}/packaging/copyright ${PROJECT_BINARY_DIR}/packaging/changelog.Debian.gz
    DESTINATION ${doc} COMPONENT ${component})
  if(EXISTS ${PROJECT_SOURCE_DIR}/deploy/debian/${component}.lintian-overrides)  # each says why
    install(FILES ${PROJECT_SOURCE_DIR}/deploy/debian/${component}.lintian-overrides RENAME hip-remote-${component}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
  endif()
endfunction()

# What Debian wants to find in every package.
file(READ ${PROJECT_SOURCE_DIR}/LICENSE license)
string(REGEX REPLACE "^MIT License\n\n[^\n]*\n\n" "" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n" "\n " license "${license}")
file(WRITE ${PROJECT_BINARY_DIR}/packaging/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hip-remote

Files: *
Copyright: 2026 The HIP Remote authors
License: Expat
 ${license}
")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${PROJECT_BINARY_DIR}/packaging/changelog.Debian
"hip-remote (${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built from the sources by cpack.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/packaging/changelog.Debian)

hipr_package(client libs "HIP programs on a GPU that is somewhere else: client libraries"
"libamdhip64 in the versions 5, 6 and 7, which sends what a program asks of
its GPU to a hip-worker on another machine, and libamd_smi for that
machine's sensors. They lie in a folder of their own, so that a ROCm that
is installed stays what it is; hip-remote run puts them in front of it."
  hip-remote-tools)
hipr_package(worker net "HIP programs on a GPU that is somewhere else: worker"
"hip-worker serves the GPUs of its machine to HIP Remote clients. It loads
AMD's HIP runtime, or where there is no GPU the software GPU of
hip-remote-softgpu. A systemd unit is included and not enabled."
  hip-remote-softgpu)
hipr_package(tools utils "HIP programs on a GPU that is somewhere else: commands"
"hip-remote runs a program with its GPU elsewhere, lists the GPUs of a
worker and explains what keeps a program from them; smi-remote shows
temperature, power, memory and processes of any number of workers."
  hip-remote-client hip-remote-softgpu)
hipr_package(softgpu libs "HIP programs on a GPU that is somewhere else: software GPU"
"A HIP runtime that executes the machine code of AMD GPUs (gfx90a, gfx942)
on the CPU: for workers on machines without a GPU, and for programs
directly.")
hipr_package(dev libdevel "HIP programs on a GPU that is somewhere else: development files"
"Headers, a CMake package and a pkg-config file for building programs with
HIP Remote's libraries, and libamdsmi-remote for monitoring programs.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "hip-remote-client (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
include(CPack)
