# stance_page(VARIABLE): names the source file that has the page of web/ in it, and how to make it.
# Where there is no npm the program is built without a page, and says so in its place.
function(stance_page variable)
  find_program(STANCE_NPM npm DOC "builds the page of `stance view`")
  find_program(STANCE_NODE NAMES node nodejs DOC "builds the page of `stance view`")
  mark_as_advanced(STANCE_NPM STANCE_NODE)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(out ${PROJECT_BINARY_DIR}/web)
  if(STANCE_NPM AND STANCE_NODE)
    # A file that comes or goes changes the time of its folder. (CONFIGURE_DEPENDS of the list would
    # do, too, but then a dry run of ninja always finds something to do, and ./stance says so.)
    file(GLOB_RECURSE sources LIST_DIRECTORIES true ${web}/src/*)
    set(folders ${web}/src)
    foreach(source ${sources})
      if(IS_DIRECTORY ${source})
        list(APPEND folders ${source})
        list(REMOVE_ITEM sources ${source})
      endif()
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folders})
    add_custom_command(
      OUTPUT ${out}/page.cc
      COMMAND ${PROJECT_SOURCE_DIR}/tools/build_page.sh ${web} ${out}
      DEPENDS ${sources} ${web}/index.html ${web}/package.json ${web}/package-lock.json
              ${web}/vite.config.ts ${web}/embed.mjs ${PROJECT_SOURCE_DIR}/tools/build_page.sh
      COMMENT "Building the page of web/"
      VERBATIM)
  else()
    message(STATUS "the page is left out: node and npm are not installed")
    file(WRITE ${out}/page.cc "#include \"stance/view/page.h\"\n"
         "std::span<const stance::view::PageFile> stance::view::page_files() { return {}; }\n")
  endif()
  set(${variable} ${out}/page.cc PARENT_SCOPE)
endfunction()
