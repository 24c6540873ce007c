# Packs the Debian packages and looks at what is in them. ./dev package has lintian judge them.
# cmake -DBUILD=… -DWORK=… -P package.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${CMAKE_CPACK_COMMAND} --config ${BUILD}/CPackConfig.cmake -B ${WORK} -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)

# package(NAME FILES...) unpacks a package to WORK/NAME and leaves what it depends on in `output`.
function(package name)
  file(GLOB file ${WORK}/${name}_*.deb)
  run(dpkg-deb --ctrl-tarfile ${file})
  if(output MATCHES "(pre|post)(inst|rm)")
    message(FATAL_ERROR "${name} has scripts of a maintainer, which it does not need")
  endif()
  run(dpkg-deb --extract ${file} ${WORK}/${name})
  foreach(expected IN LISTS ARGN)
    if(NOT EXISTS ${WORK}/${name}/usr/${expected})
      message(FATAL_ERROR "${name} does not have ${expected}")
    endif()
  endforeach()
  run(dpkg-deb --field ${file} Depends)
  set(output "${output}" PARENT_SCOPE)
endfunction()

package(headlight bin/headlight share/applications/org.headlight.Headlight.desktop share/mime/packages/headlight.xml
        share/icons/hicolor/48x48/apps/headlight.png share/man/man1/headlight.1.gz share/doc/headlight/copyright
        share/doc/headlight/changelog.gz)
foreach(needed fonts-inter fonts-jetbrains-mono fonts-dejavu-core fonts-lmodern libc6 libglfw3 libgl1)
  if(NOT output MATCHES "(^|, )${needed}[ ,\n]")
    message(FATAL_ERROR "headlight does not depend on ${needed}, but on ${output}")
  endif()
endforeach()
# Fonts lead to those of the packages that it depends on, which are here too, as the build takes them from there.
file(GLOB fonts LIST_DIRECTORIES false ${WORK}/headlight/usr/share/headlight/fonts/*)
list(LENGTH fonts count)
file(GLOB gathered ${BUILD}/assets/fonts/*)
list(LENGTH gathered wanted)
if(NOT count EQUAL wanted)
  message(FATAL_ERROR "${count} fonts are in the package, and ${wanted} are drawn with")
endif()
foreach(font IN LISTS fonts)
  file(READ_SYMLINK ${font} target)
  cmake_path(ABSOLUTE_PATH target BASE_DIRECTORY /usr/share/headlight/fonts NORMALIZE)
  if(NOT EXISTS ${target})
    message(FATAL_ERROR "${font} leads to ${target}, where there is none")
  endif()
endforeach()

package(libheadlight-dev include/headlight/engine/engine.h share/doc/libheadlight-dev/copyright)
file(GLOB_RECURSE library ${WORK}/libheadlight-dev/*/libheadlight_engine.a)
if(NOT library OR NOT output MATCHES "libfmt-dev")
  message(FATAL_ERROR "libheadlight-dev has the library ${library} and depends on ${output}")
endif()
file(REMOVE_RECURSE ${WORK})  # tens of megabytes that nobody looks at again; what failed stays
