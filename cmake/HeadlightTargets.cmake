# Compiler settings that every target of the project shares: headlight_target(NAME) applies them.

function(headlight_target name)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
  if(HEADLIGHT_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(HEADLIGHT_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${HEADLIGHT_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${name} PUBLIC -fsanitize=${HEADLIGHT_SANITIZE})
    # With its checks compiled in, GCC 12 takes members of a variant that are not the current one for uninitialized ones.
    target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
    if(HEADLIGHT_SANITIZE MATCHES undefined)
      target_compile_options(${name} PRIVATE -fno-sanitize-recover=undefined)
    endif()
  endif()
endfunction()
