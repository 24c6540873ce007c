# cmake -DNM=nm -P kernel_symbols.cmake OBJECT…: fails when an object compiled for one instruction set defines a symbol
# outside the namespace of that set. Such a symbol (an inline function of the standard library, say) may become the
# linker's one copy for the whole program, which then dies on a processor without these instructions.
set(seen 0)
foreach(index RANGE ${CMAKE_ARGC})
  if(NOT "${CMAKE_ARGV${index}}" MATCHES "\\.(o|obj)$")
    continue()
  endif()
  set(object "${CMAKE_ARGV${index}}")
  execute_process(COMMAND ${NM} --defined-only --extern-only --demangle ${object}
                  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES "^[0-9a-f]+ [A-Za-z] headlight::math::(avx2|avx512)::")
      math(EXPR seen "${seen} + 1")
    else()
      message(SEND_ERROR "${object} defines, outside its namespace: ${symbol}")
    endif()
  endforeach()
endforeach()
if(seen EQUAL 0)
  message(FATAL_ERROR "no kernels found in the objects named")
endif()
