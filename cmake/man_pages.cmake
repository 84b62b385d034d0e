# Manual pages from each program's --help, made while building where help2man is installed; and completion for shells,
# which asks --help itself. So options stand in one place.
set(completions ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES deploy/completion/hip-remote.bash RENAME hip-remote DESTINATION ${completions} COMPONENT tools)
install(FILES deploy/completion/hip-remote.bash RENAME smi-remote DESTINATION ${completions} COMPONENT tools)
install(FILES deploy/completion/hip-remote.bash RENAME hip-worker DESTINATION ${completions} COMPONENT worker)  # found by name
install(FILES deploy/completion/_hip-remote DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT tools)

find_program(HIPR_HELP2MAN help2man)
if(NOT HIPR_HELP2MAN OR CMAKE_CROSSCOMPILING)
  return()
endif()
function(hipr_man_page program component summary)
  set(page ${PROJECT_BINARY_DIR}/man/${program}.1)
  add_custom_command(OUTPUT ${page}.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
    COMMAND ${HIPR_HELP2MAN} --no-info --name=${summary} --output=${page} $<TARGET_FILE:${program}>
    COMMAND gzip -9nf ${page}
    DEPENDS ${program}
    VERBATIM COMMENT "Writing ${page}.gz")
  add_custom_target(${program}_man ALL DEPENDS ${page}.gz)
  install(FILES ${page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()
hipr_man_page(hip-remote tools "run HIP programs on a GPU that is somewhere else")
hipr_man_page(smi-remote tools "what the GPUs of HIP Remote workers are doing")
hipr_man_page(hip-worker worker "serve the GPUs of this machine to HIP Remote clients")
