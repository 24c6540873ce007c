# `cpack` in a build tree makes Debian packages: headlight, the program, and libheadlight-dev, the engine for C++. What Debian
# wants otherwise than `cmake --install` lays it is done by debian/finish.cmake.
set(CPACK_PACKAGE_NAME headlight)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGE_VENDOR "The Headlight developers")
set(CPACK_PACKAGE_CONTACT "The Headlight developers <maintainers@headlight.example>" CACHE STRING
    "Who maintains the packages that cpack makes: Name <address>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL program engine)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/finish.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME headlight)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
get_property(fonts GLOBAL PROPERTY headlight_font_packages)
list(REMOVE_DUPLICATES fonts)
list(JOIN fonts ", " fonts)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${fonts}, libgl1")  # OpenGL is opened as the window is, not linked
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libgl1-mesa-dri")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-numpy, texlive-pictures, xvfb")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "see what attention does, step by step, on your own data
Headlight runs the attention mechanisms of neural networks on a sentence, a
picture, a video, a signal or arrays of one's own, and shows every step of
every head as a map. Any number on the screen can be asked where it comes
from: the formula, the operands, the products and the sum.

It draws figures for print (PDF, SVG, PNG, PGFPlots) and worksheets for
class, with or without a display, and writes each run as a short script in
NumPy or PyTorch that recomputes it.")

set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME libheadlight-dev)
set(CPACK_DEBIAN_ENGINE_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "libexpected-dev, libfmt-dev, libgif-dev, libjpeg-dev, libpng-dev, libutf8proc-dev, \
pkg-config, zlib1g-dev")
set(CPACK_DEBIAN_ENGINE_DESCRIPTION "compute engine of Headlight, for C++
The library that Headlight computes with, without its window: experiments
in, traces out, and for every number of a trace where it comes from.

It has headers, a static library and what CMake's find_package() reads.")

# What the finishing script is to know.
set(CPACK_HEADLIGHT_SOURCE ${PROJECT_SOURCE_DIR})
get_property(CPACK_HEADLIGHT_FONTS GLOBAL PROPERTY headlight_fonts)
include(CPack)
