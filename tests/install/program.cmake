# Installs the program into an empty prefix, and looks at it and runs it from there, moved to where nobody configured it to be.
# cmake -DBUILD=… -DSOURCE=… -DWORK=… -DPYTHON=… -P program.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --component program)
file(RENAME ${WORK}/first ${WORK}/program)
run(${PYTHON} -B ${SOURCE}/tests/install/check_installed.py ${WORK}/program ${SOURCE} ${BUILD})
# Without its fonts it cannot draw: it does not use those of the build.
file(RENAME ${WORK}/program/share/headlight/fonts ${WORK}/fonts)
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=HEADLIGHT_ASSETS ${WORK}/program/bin/headlight render
                        -o ${WORK}/none.pdf RESULT_VARIABLE status ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "share/headlight/fonts")
  message(FATAL_ERROR "without its fonts the installed program said: ${output}")
endif()
file(REMOVE_RECURSE ${WORK})  # tens of megabytes that nobody looks at again; what failed stays
