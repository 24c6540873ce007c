# headlight_gather_fonts() copies the fonts that the application draws with to ${CMAKE_BINARY_DIR}/assets/fonts, and their terms
# to generated/fonts. They come from Debian's packages; HEADLIGHT_FONT_PATH names further folders to look in, for systems that
# keep them elsewhere.

set(HEADLIGHT_FONT_PATH "" CACHE STRING "Folders to look for fonts in, before the system's own")

# _headlight_gather_font(PACKAGE FOLDER FILES...)
function(_headlight_gather_font package folder)
  foreach(file IN LISTS ARGN)
    find_file(font ${file} PATHS ${HEADLIGHT_FONT_PATH} ${folder} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH NO_CACHE)
    if(NOT font)
      message(FATAL_ERROR "The font ${file} is not in ${folder}: install Debian's package ${package} "
                          "(apt install ${package}), or name its folder with -DHEADLIGHT_FONT_PATH=…")
    endif()
    file(COPY_FILE ${font} ${CMAKE_BINARY_DIR}/assets/fonts/${file} ONLY_IF_DIFFERENT)
    unset(font)
    set_property(GLOBAL APPEND PROPERTY headlight_fonts ${folder}/${file})  # where Debian has it
  endforeach()
  set_property(GLOBAL APPEND PROPERTY headlight_font_packages ${package})
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated/fonts)
    file(COPY_FILE /usr/share/doc/${package}/copyright ${CMAKE_BINARY_DIR}/generated/fonts/${package}.txt ONLY_IF_DIFFERENT)
  endif()
endfunction()

function(headlight_gather_fonts)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/assets/fonts)
  _headlight_gather_font(fonts-inter /usr/share/fonts/opentype/inter
    Inter-Regular.otf Inter-Medium.otf Inter-SemiBold.otf)
  _headlight_gather_font(fonts-jetbrains-mono /usr/share/fonts/truetype/jetbrains-mono
    JetBrainsMono-Regular.ttf JetBrainsMono-Medium.ttf JetBrainsMono-SemiBold.ttf)
  _headlight_gather_font(fonts-dejavu-core /usr/share/fonts/truetype/dejavu
    DejaVuSans.ttf DejaVuSansMono.ttf)
  _headlight_gather_font(fonts-lmodern /usr/share/texmf/fonts/opentype/public/lm
    lmroman10-regular.otf lmroman10-bold.otf lmroman10-italic.otf)
  _headlight_gather_font(fonts-lmodern /usr/share/texmf/fonts/opentype/public/lm-math
    latinmodern-math.otf)
endfunction()
