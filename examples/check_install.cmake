# Installs the build into a scratch folder and builds an example against it, as a user would.
#   cmake -DSOURCE=... -DBUILD=... -DCXX=... -DSANITIZE=... -DPROGRAM=... -P check_install.cmake

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

# A plugin built there is loaded by the program.
set(plugin ${BUILD}/install_check/plugin)
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/plugin -B ${plugin} -G Ninja
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_FLAGS=${flags})
run(${CMAKE_COMMAND} --build ${plugin})
run(${PROGRAM} run ${SOURCE}/examples/plugin/sway.yaml --set library=${plugin}/sway.so)
