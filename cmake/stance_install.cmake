# find_package(stance): layers as stance::NAME, headers below include/stance.

include(CMakePackageConfigHelpers)
get_property(layers GLOBAL PROPERTY STANCE_LAYERS)
list(REMOVE_ITEM layers stance_cli stance_haptics_check)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stance)

install(TARGETS ${layers} stance_arch EXPORT stance ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT stance NAMESPACE stance:: FILE stance-targets.cmake DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/stance DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN cli EXCLUDE PATTERN check EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stance)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/stance-config.cmake.in
                              ${PROJECT_BINARY_DIR}/stance-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stance-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stance-config.cmake
              ${PROJECT_BINARY_DIR}/stance-config-version.cmake DESTINATION ${package_dir})
