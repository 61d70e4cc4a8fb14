# Writes OUT, a header with the commit of the sources in ROOT, "unknown" outside git; leaves the file
# alone where nothing has changed, so that nothing is compiled again.
execute_process(
  COMMAND git describe --tags --always --dirty --abbrev=12
  WORKING_DIRECTORY ${ROOT}
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  RESULT_VARIABLE result)
if(NOT result STREQUAL "0" OR commit STREQUAL "")
  set(commit unknown)
endif()
set(text "#pragma once\n\n#define STANCE_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
