# Installs the build into a scratch folder and builds an example against it, as a user would.
#   cmake -DSOURCE=... -DBUILD=... -DCXX=... -DSANITIZE=... -DPROGRAM=... -DEIGEN=... -P check_install.cmake

set(prefix ${BUILD}/install_check/prefix)
set(outside ${BUILD}/install_check/forward_dynamics)
file(REMOVE_RECURSE ${BUILD}/install_check)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}\n${text}")
  endif()
endfunction()

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/forward_dynamics -B ${outside} -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${outside})
run(${outside}/forward_dynamics --check ${prefix}/share/stance/models/humanoid.urdf)

# What programs see of others' headers is Eigen and the system's alone. (-H lists what is included;
# -M of clang also lists what the standard library only asks for by __has_include.)
file(WRITE ${BUILD}/install_check/all.cc "#include \"stance/stance.h\"\n")
execute_process(
  COMMAND ${CXX} -std=c++20 -H -fsyntax-only -I ${prefix}/include -I ${prefix}/lib/stance/include
          -isystem ${EIGEN} ${BUILD}/install_check/all.cc
  ERROR_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
if(NOT headers MATCHES "stance/stance\\.h")
  message(FATAL_ERROR "the compiler did not list what stance/stance.h includes")
endif()
foreach(other tinyxml urdf_ console_bridge hdf5 H5 nlohmann fmt/ yaml-cpp tbb qhull assimp boost CLI spdlog)
  if(headers MATCHES "/${other}[^ \n]*\\.h")
    message(FATAL_ERROR "stance/stance.h includes ${CMAKE_MATCH_0}")
  endif()
endforeach()

# A program that uses all of the interface, and the README's.
file(READ ${SOURCE}/README.md readme)
if(NOT readme MATCHES "```cpp\n([^`]*#include \"stance/stance.h\"[^`]*)```")
  message(FATAL_ERROR "README.md has no C++ example")
endif()
file(WRITE ${BUILD}/install_check/readme.cc "${CMAKE_MATCH_1}")
set(program ${BUILD}/install_check/outside)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/outside -B ${program} -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_FLAGS=${flags} -DREADME_EXAMPLE=${BUILD}/install_check/readme.cc)
run(${CMAKE_COMMAND} --build ${program})
run(${program}/outside ${prefix}/share/stance/scenes ${BUILD}/install_check)
execute_process(COMMAND ${program}/readme WORKING_DIRECTORY ${prefix}/share/stance
                COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)

# Code for another instruction set would misread vectors: it ends with a sentence.
execute_process(COMMAND ${program}/unfit RESULT_VARIABLE code ERROR_VARIABLE text)
if(NOT code EQUAL 3 OR NOT text MATCHES "compiled for another instruction set \\(AVX\\)")
  message(FATAL_ERROR "a program for another instruction set ended with ${code}: ${text}")
endif()

# A plugin built there is loaded by the program.
set(plugin ${BUILD}/install_check/plugin)
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/plugin -B ${plugin} -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${plugin})
run(${PROGRAM} run ${SOURCE}/examples/plugin/sway.yaml --set library=${plugin}/sway.so)
