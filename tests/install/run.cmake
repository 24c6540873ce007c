# Installs the engine into an empty prefix, builds a consumer against it with find_package(headlight), and runs it. Then
# installs the program into another, and runs it from there, moved to where nobody configured it to be.
# cmake -DBUILD=… -DSOURCE=… -DWORK=… -P run.cmake
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component engine)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
if(NOT output MATCHES "weights \\(1, 8, 12, 12\\): the first token looks at itself with 1")
  message(FATAL_ERROR "the consumer said: ${output}")
endif()

# The example of docs/engine.md, which stands there as it is here.
run(${WORK}/build/own_arrays)
string(REGEX REPLACE "\n$" "" printed "${output}")
file(READ ${SOURCE}/docs/engine.md page)
file(READ ${SOURCE}/tests/install/own_arrays.cpp example)
foreach(part IN ITEMS "${printed}" "${example}")
  string(FIND "${page}" "${part}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "docs/engine.md does not have:\n${part}")
  endif()
endforeach()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --component program)
file(RENAME ${WORK}/first ${WORK}/program)
foreach(file bin/headlight share/headlight/fonts/Inter-Regular.otf share/headlight/examples/causal.headlight
        share/applications/headlight.desktop share/icons/hicolor/scalable/apps/headlight.svg)
  if(NOT EXISTS ${WORK}/program/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
run(${CMAKE_COMMAND} -E env --unset=HEADLIGHT_ASSETS ${WORK}/program/bin/headlight render
    ${WORK}/program/share/headlight/examples/causal.headlight -o ${WORK}/figure.pdf)
if(NOT EXISTS ${WORK}/figure.pdf)
  message(FATAL_ERROR "the installed program drew nothing: ${output}")
endif()
# Without its fonts it cannot draw: it does not use those of the build.
file(RENAME ${WORK}/program/share/headlight/fonts ${WORK}/fonts)
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=HEADLIGHT_ASSETS ${WORK}/program/bin/headlight render
                        -o ${WORK}/none.pdf RESULT_VARIABLE status ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "share/headlight/fonts")
  message(FATAL_ERROR "without its fonts the installed program said: ${output}")
endif()
