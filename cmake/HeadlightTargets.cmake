# Compiler settings that every target of the project shares: headlight_target(NAME) applies them.

# headlight_files(VARIABLE FOLDERS...): the sources of these folders of this one, in the order of their names. A new file needs no line here.
function(headlight_files variable)
  list(TRANSFORM ARGN APPEND /*.cpp)
  file(GLOB files RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${ARGN})
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# Files that are compiled together are of one room, so many of them: a new one moves no others than its own room's.
function(headlight_group_by_room name)
  get_target_property(sources ${name} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "\\.cpp$")
      cmake_path(GET source PARENT_PATH room)
      string(MAKE_C_IDENTIFIER "in_${room}" room)
      list(APPEND ${room} ${source})
      list(LENGTH ${room} count)
      math(EXPR group "(${count} - 1) / ${HEADLIGHT_TOGETHER}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${group})
    endif()
  endforeach()
endfunction()

function(headlight_target name)
  if(HEADLIGHT_TOGETHER GREATER 1)
    # What several files take from headers is most of the time to compile them. The price: names in the anonymous namespaces of
    # a room must differ, and an edit compiles its file's neighbours too.
    # The presets set it; without one, every file is compiled alone.
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    headlight_group_by_room(${name})
    set(together -Wno-shadow)  # names of one file hide those of another
    set(together_gcc -Wshadow=local -Wno-subobject-linkage)  # and its own are not all one file's
  endif()
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion ${together} ${HEADLIGHT_WARNINGS_OF_SYSTEM}
    # Where assert() is on, GCC 12 sees a fill character of fmt's written past its four bytes, which its own length forbids.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;${together_gcc}>
    # Clang 14 asks for braces round the one array that a std::array is.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-braces>
    # What an assertion says names files as the project does, not as this machine.
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(HEADLIGHT_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  target_compile_definitions(${name} PRIVATE $<$<CONFIG:Debug>:HEADLIGHT_BOUNDS>)
  if(HEADLIGHT_SANITIZE)
    target_compile_definitions(${name} PRIVATE HEADLIGHT_BOUNDS)
    target_compile_options(${name} PRIVATE -fsanitize=${HEADLIGHT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${name} PUBLIC -fsanitize=${HEADLIGHT_SANITIZE})
    if(HEADLIGHT_SANITIZE MATCHES address)
      target_compile_definitions(${name} PRIVATE HEADLIGHT_ADDRESS_SANITIZER)  # compilers say it each in a way of their own
    endif()
    # With its checks compiled in, GCC 12 takes members of a variant that are not the current one for uninitialized ones, and
    # sees sizes below 0 where a string that is read from a precompiled header grows.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-array-bounds>)
    if(HEADLIGHT_SANITIZE MATCHES undefined)
      # Checks that the address sanitizer makes as well (null, the size of an object) and those of code that casts no pointers
      # (alignment, the class behind a base) take a third of the time to compile: headlight_checked() has them all the same.
      target_compile_options(${name} PRIVATE -fno-sanitize-recover=undefined -fno-sanitize=null,object-size,alignment,vptr
        $<$<CXX_COMPILER_ID:Clang>:-Wno-invalid-command-line-argument>)
    endif()
  endif()
endfunction()

# headlight_cold(NAMES...), after headlight_target: code that is run once for each thing that a person does is compiled for the
# sake of building fast, and for a page for the sake of being small. What loops over numbers or pixels keeps the build type's own
# optimisation.
function(headlight_cold)
  if(EMSCRIPTEN)
    set(optimized -Os)
  else()
    set(optimized -O1)
  endif()
  foreach(name IN LISTS ARGN)
    # At -O1, GCC 12 takes members of a variant that are not the current one for uninitialized ones.
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${optimized}>
      $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  endforeach()
endfunction()

# headlight_coldest(NAMES...), after headlight_cold: nor is this optimised under any sanitizer.
function(headlight_coldest)
  if(HEADLIGHT_SANITIZE)
    foreach(name IN LISTS ARGN)
      target_compile_options(${name} PRIVATE -O0)
    endforeach()
  endif()
endfunction()

# _headlight_apart(NAME SUFFIX FILES...): some files of NAME, when it has all that it has, as objects of a target NAME_SUFFIX with what
# NAME compiles with but for options, so that they can have others and still be compiled together.
function(_headlight_apart name suffix)
  get_target_property(all ${name} SOURCES)
  get_target_property(libraries ${name} LINK_LIBRARIES)
  list(REMOVE_ITEM all ${ARGN})
  set_target_properties(${name} PROPERTIES SOURCES "${all}")
  add_library(${name}_${suffix} OBJECT ${ARGN})
  headlight_target(${name}_${suffix})
  target_include_directories(${name}_${suffix} PRIVATE $<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${name}_${suffix} PRIVATE $<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>)
  target_link_libraries(${name}_${suffix} PRIVATE ${libraries})
  target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_${suffix}>)
endfunction()

# headlight_checked(NAME FILES...), when NAME has all that it has: those of its files that read foreign bytes, with every check of
# the undefined-behaviour sanitizer.
function(headlight_checked name)
  if(HEADLIGHT_SANITIZE MATCHES undefined)
    _headlight_apart(${name} checked ${ARGN})
    target_compile_options(${name}_checked PRIVATE -fsanitize=null,object-size,alignment,vptr)
  endif()
endfunction()

# headlight_test_code(NAMES...): files that are not put together as libraries' are, since most have a `run` or a `has` of their own
# (tests/CMakeLists.txt has its own way); in the sanitizers' trees tests themselves are not optimised at all.
function(headlight_test_code)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD OFF)
  headlight_coldest(${ARGN})
endfunction()

# headlight_engine_first(NAMES...): of functions that headers define, the linker takes the first copy for the whole program. Under the
# sanitizers that is the engine's, which is optimised, where tests' is not.
function(headlight_engine_first)
  if(HEADLIGHT_SANITIZE)
    foreach(name IN LISTS ARGN)
      target_link_options(${name} PRIVATE LINKER:--whole-archive,$<TARGET_FILE:headlight_engine>,--no-whole-archive)
    endforeach()
  endif()
endfunction()

# headlight_hot(NAME FILES...), when the cold target NAME has all that it has: those of its files that loop over numbers or pixels.
function(headlight_hot name)
  _headlight_apart(${name} hot ${ARGN})
  target_compile_options(${name}_hot PRIVATE $<$<CONFIG:Release>:-O3>)
endfunction()

# headlight_ready(NAME HEADERS...), headlight_ready_from(OTHER NAMES...): headers that most files of a target include, compiled once, for
# it and for others. Only in the sanitizers' trees, which are compiled once: elsewhere the program's tree and the tests' share by
# ccache what they compile, and it does not know such headers of two trees for the same.
function(headlight_ready name)
  if(HEADLIGHT_SANITIZE)
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

function(headlight_ready_from other)
  foreach(name IN LISTS ARGN)
    if(HEADLIGHT_SANITIZE)
      target_precompile_headers(${name} REUSE_FROM ${other})
    endif()
  endforeach()
endfunction()

# headlight_alone(FILES...): files that cannot be compiled with others: they have the same names for what is their own, or define
# what headers read, or what is one for the whole program.
function(headlight_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
