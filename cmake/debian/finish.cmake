# Run by cpack between laying the files of both packages out and packing them: what Debian's policy asks for.
set(program ${CPACK_TEMPORARY_DIRECTORY}/program/usr)
set(engine ${CPACK_TEMPORARY_DIRECTORY}/engine/usr)

function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Fonts are those of their packages, which the package depends on.
file(REMOVE_RECURSE ${program}/share/doc/headlight/fonts)
foreach(font IN LISTS CPACK_HEADLIGHT_FONTS)
  cmake_path(GET font FILENAME name)
  cmake_path(RELATIVE_PATH font BASE_DIRECTORY /usr/share/headlight/fonts OUTPUT_VARIABLE target)
  file(REMOVE ${program}/share/headlight/fonts/${name})
  file(CREATE_LINK ${target} ${program}/share/headlight/fonts/${name} SYMBOLIC)
endforeach()

# What is compiled in comes from these packages, under the terms that they state.
file(READ ${CPACK_HEADLIGHT_SOURCE}/LICENSE license)
set(copyright "Headlight\n\n${license}\n")
string(REPEAT "-" 78 line)
foreach(package libcli11-dev libeigen3-dev libexpected-dev libimgui-dev libstb-dev nlohmann-json3-dev)
  if(NOT EXISTS /usr/share/doc/${package}/copyright)
    message(FATAL_ERROR "/usr/share/doc/${package}/copyright is missing: the package has to carry it")
  endif()
  file(READ /usr/share/doc/${package}/copyright terms)
  string(APPEND copyright "\n${line}\nParts of ${package} are compiled in. Its terms, as Debian states them:\n\n${terms}")
endforeach()

# The changelog is that of the source.
set(changelog ${CMAKE_CURRENT_LIST_DIR}/changelog)
file(STRINGS ${changelog} newest LIMIT_COUNT 1)
if(NOT newest MATCHES "^headlight \\(${CPACK_PACKAGE_VERSION}\\) ")
  message(FATAL_ERROR "${changelog} begins with \"${newest}\": version ${CPACK_PACKAGE_VERSION} has no entry yet")
endif()
foreach(doc ${program}/share/doc/headlight ${engine}/share/doc/libheadlight-dev)
  file(WRITE ${doc}/copyright "${copyright}")
  file(COPY ${changelog} DESTINATION ${doc})
  compress(${doc}/changelog)
endforeach()
file(REMOVE ${program}/share/doc/headlight/LICENSE)
compress(${program}/share/man/man1/headlight.1)
execute_process(COMMAND strip --strip-all --remove-section=.comment --remove-section=.note ${program}/bin/headlight
                COMMAND_ERROR_IS_FATAL ANY)

file(GLOB_RECURSE libraries ${engine}/*.a)
execute_process(COMMAND strip --strip-debug --remove-section=.comment --remove-section=.note --enable-deterministic-archives
                        ${libraries} COMMAND_ERROR_IS_FATAL ANY)
