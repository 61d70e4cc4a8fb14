# find_package(stance): the target stance::stance, headers include/stance/*.h. What these include of
# the library's inside is installed beside the library, below lib/stance/include; nothing else is.

include(CMakePackageConfigHelpers)
get_property(layers GLOBAL PROPERTY STANCE_LAYERS)
list(REMOVE_ITEM layers stance_cli stance_view stance_haptics stance_haptics_check)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stance)

add_library(stance_library INTERFACE)
add_library(stance::stance ALIAS stance_library)
target_include_directories(stance_library INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_libraries(stance_library INTERFACE ${layers})
set_target_properties(stance_library PROPERTIES EXPORT_NAME stance)

# stance_find_inside(FILES...): collects in `inside` what they include of src/stance, all the way down.
function(stance_find_inside)
  foreach(file ${ARGN})
    file(STRINGS ${file} lines REGEX "^#include \"stance/[a-z_]+/")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" header "${line}")
      get_property(known GLOBAL PROPERTY STANCE_INSIDE)
      if(NOT header IN_LIST known)
        set_property(GLOBAL APPEND PROPERTY STANCE_INSIDE ${header})
        stance_find_inside(${PROJECT_SOURCE_DIR}/src/${header})
      endif()
    endforeach()
  endforeach()
endfunction()

file(GLOB public ${PROJECT_SOURCE_DIR}/include/stance/*.h)
stance_find_inside(${public})
get_property(inside GLOBAL PROPERTY STANCE_INSIDE)
install(FILES ${public} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stance)
foreach(header ${inside})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION ${CMAKE_INSTALL_LIBDIR}/stance/include/${folder})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${header})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public})

install(TARGETS ${layers} stance_arch stance_library EXPORT stance ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT stance NAMESPACE stance:: FILE stance-targets.cmake DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/models ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stance)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/stance-config.cmake.in
                              ${PROJECT_BINARY_DIR}/stance-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stance-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stance-config.cmake
              ${PROJECT_BINARY_DIR}/stance-config-version.cmake DESTINATION ${package_dir})
