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
    JetBrainsMono-Regular.ttf JetBrainsMono-SemiBold.ttf)
  _headlight_gather_font(fonts-dejavu-core /usr/share/fonts/truetype/dejavu
    DejaVuSans.ttf)
  _headlight_gather_font(fonts-lmodern /usr/share/texmf/fonts/opentype/public/lm
    lmroman10-regular.otf lmroman10-bold.otf)
  _headlight_gather_font(fonts-lmodern /usr/share/texmf/fonts/opentype/public/lm-math
    latinmodern-math.otf)
  _headlight_forget_other_fonts()
  if(EMSCRIPTEN)
    _headlight_cut_formula_font()
  endif()
endfunction()

# What an earlier build of this tree gathered.
function(_headlight_forget_other_fonts)
  get_property(fonts GLOBAL PROPERTY headlight_fonts)
  list(TRANSFORM fonts REPLACE ".*/" "${CMAKE_BINARY_DIR}/assets/fonts/")
  file(GLOB others ${CMAKE_BINARY_DIR}/assets/fonts/*)
  list(REMOVE_ITEM others ${fonts})
  if(others)
    file(REMOVE ${others})
  endif()
endfunction()

# For a page: what the commands of formulas draw (by their own table), letters, operators and arrows, of all alphabets those that
# \mathbf, \mathbb and \mathcal give, their larger and longer shapes, and those that indices have. Outlines stay as they are.
function(_headlight_cut_formula_font)
  set(characters 20-7E A0-FF 131 237 2BC-2DD 300-338 370-3FF 2010-2057 2070-20EF 2100-214F 2190-21FF 2200-22FF 2308-230B
      2320-2321 239B-23AE 23B4-23E1 27C0-27FF 1D400-1D467 1D49C-1D4CF 1D538-1D56B 1D6A4-1D71B 1D7CE-1D7E1)
  list(TRANSFORM characters PREPEND U+)
  list(JOIN characters "," characters)
  find_program(PYFTSUBSET pyftsubset REQUIRED NO_CMAKE_FIND_ROOT_PATH)  # Debian's fonttools
  set(font ${CMAKE_BINARY_DIR}/assets/fonts/latinmodern-math.otf)
  execute_process(COMMAND ${PYFTSUBSET} ${font} --unicodes=${characters} --text-file=${PROJECT_SOURCE_DIR}/app/formula/formula_commands.cpp
                          --layout-features=ssty --name-IDs=* --notdef-outline
                          --drop-tables+=FFTM --output-file=${font}.cut COMMAND_ERROR_IS_FATAL ANY)
  file(RENAME ${font}.cut ${font})
endfunction()
