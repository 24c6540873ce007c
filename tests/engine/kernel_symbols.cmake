# cmake -DNM=nm -P kernel_symbols.cmake OBJECT…: fails when an object compiled for one instruction set defines a symbol
# outside the namespace of that set and its own Eigen. Such a symbol (an inline function of the standard library, say,
# or Eigen's under its own name) may become the linker's one copy for the whole program, which then dies on a processor
# without these instructions.
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
    if(NOT symbol MATCHES "Eigen::" AND symbol MATCHES
       "^[0-9a-f]+ [A-Za-z] (.* )?(guard variable for )?(headlight::math::(avx|avx2|avx512|avx512_unfused)|Eigen_(avx|avx2|avx512|avx512_unfused)::internal)::")
      math(EXPR seen "${seen} + 1")
    elseif(symbol MATCHES "^[0-9a-f]+ V DW\\.ref\\.__gxx_personality_v0$")
      # data that every object has which may throw: no code
    else()
      message(SEND_ERROR "${object} defines, outside its namespace: ${symbol}")
    endif()
  endforeach()
endforeach()
if(seen EQUAL 0)
  message(FATAL_ERROR "no kernels found in the objects named")
endif()
