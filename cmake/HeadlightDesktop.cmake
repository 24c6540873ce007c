# headlight_install_program(): where `cmake --install BUILD --component program` puts the program, what it looks for, its manual
# page, and what a desktop shows of it.
include(GNUInstallDirs)

# _headlight_icon(CONTEXT NAME FILE SIZES...) makes FILE.svg into the icon NAME of these sizes of pixels.
function(_headlight_icon context name file)
  foreach(size IN LISTS ARGN)
    set(icon ${CMAKE_BINARY_DIR}/icons/${size}x${size}/${context}/${name}.png)
    cmake_path(GET icon PARENT_PATH folder)
    add_custom_command(OUTPUT ${icon}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${RSVG_CONVERT} --width ${size} --height ${size} --output ${icon} ${desktop}/${file}.svg
      DEPENDS ${desktop}/${file}.svg VERBATIM)
    set_property(GLOBAL APPEND PROPERTY headlight_icons ${icon})
  endforeach()
endfunction()

# Desktops that draw no SVG take the sizes in pixels; without librsvg2-bin there are none, and the SVG alone is installed.
function(_headlight_install_icons)
  set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
  install(FILES ${desktop}/headlight.svg DESTINATION ${icons}/scalable/apps COMPONENT program)
  install(FILES ${desktop}/headlight-file.svg DESTINATION ${icons}/scalable/mimetypes
          RENAME application-x-headlight+json.svg COMPONENT program)
  find_program(RSVG_CONVERT rsvg-convert)
  if(NOT RSVG_CONVERT)
    message(STATUS "Icons are installed as SVG alone: librsvg2-bin makes them in sizes of pixels")
    return()
  endif()
  _headlight_icon(apps headlight headlight-small 16 24 32 48)
  _headlight_icon(apps headlight headlight 64 128 256)
  _headlight_icon(mimetypes application-x-headlight+json headlight-file 16 24 32 48 64 128 256)
  get_property(made GLOBAL PROPERTY headlight_icons)
  add_custom_target(headlight_icons ALL DEPENDS ${made})
  install(DIRECTORY ${CMAKE_BINARY_DIR}/icons/ DESTINATION ${icons} COMPONENT program)
endfunction()

# What a person reads; links to examples lead to where those are installed.
function(_headlight_install_docs)
  set(docs ${PROJECT_SOURCE_DIR}/docs)
  file(REMOVE_RECURSE ${CMAKE_BINARY_DIR}/generated/docs)  # it may hold pages of other names
  file(GLOB pages RELATIVE ${docs} CONFIGURE_DEPENDS ${docs}/guide/*.md)
  foreach(page gallery.md figures.md benchmarks.md lessons.md ${pages})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${docs}/${page})
    file(READ ${docs}/${page} text)
    string(REPLACE "../assets/examples" "../../headlight/examples" text "${text}")
    string(REPLACE "../assets/lessons" "../../headlight/lessons" text "${text}")
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/docs/${page} CONTENT "@text@" @ONLY)
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/NOTICE.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT program)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/generated/fonts DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)  # their terms
  install(DIRECTORY ${CMAKE_BINARY_DIR}/generated/docs/ ${docs}/images ${docs}/mechanisms ${docs}/variants DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT program)
endfunction()

function(headlight_install_program)
  set(desktop ${PROJECT_SOURCE_DIR}/assets/desktop)
  set(data ${CMAKE_INSTALL_DATADIR})
  set(id org.headlight.Headlight)
  install(TARGETS headlight RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/assets/fonts ${PROJECT_SOURCE_DIR}/assets/examples ${PROJECT_SOURCE_DIR}/assets/lessons DESTINATION ${data}/headlight
          COMPONENT program)
  install(FILES ${desktop}/${id}.desktop DESTINATION ${data}/applications COMPONENT program)
  install(FILES ${desktop}/headlight-mime.xml DESTINATION ${data}/mime/packages RENAME headlight.xml COMPONENT program)
  configure_file(${desktop}/${id}.metainfo.xml.in ${CMAKE_BINARY_DIR}/generated/${id}.metainfo.xml @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/generated/${id}.metainfo.xml DESTINATION ${data}/metainfo COMPONENT program)
  configure_file(${PROJECT_SOURCE_DIR}/docs/headlight.1.in ${CMAKE_BINARY_DIR}/generated/headlight.1 @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/generated/headlight.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  _headlight_install_docs()
  _headlight_install_icons()
endfunction()
