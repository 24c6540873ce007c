# headlight_embed(TARGET HEADER FILES...) makes a header with the bytes of each file as a constant, so that the program needs none
# of them beside it. The constant's name is the file's with "." and "-" as "_": map_frag.
function(headlight_embed target header)
  set(text "#pragma once\n\n#include <string_view>\n\nnamespace headlight::embedded_files {\n")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} bytes HEX)
    file(SIZE ${file} size)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "[.-]" "_" name ${name})
    # No string: compilers limit the length of one.
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND text "inline constexpr char bytes_of_${name}[] = {${bytes}};\n"
      "inline constexpr std::string_view ${name}(bytes_of_${name}, ${size});\n")
  endforeach()
  string(APPEND text "}  // namespace headlight::embedded_files\n")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${header} CONTENT "@text@" @ONLY)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
endfunction()
