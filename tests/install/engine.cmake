# Installs the engine into an empty prefix, builds a consumer against it with find_package(headlight), and runs it.
# cmake -DBUILD=… -DSOURCE=… -DWORK=… -P engine.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
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
file(REMOVE_RECURSE ${WORK})  # tens of megabytes that nobody looks at again; what failed stays
