# cmake -DOUTPUT=… -DFILES=a_test.cpp;b_test.cpp -P write_together.cmake: one source that compiles several files, each in a namespace of
# its own, since most have a `run` or a `has`. What they include stands before them all, and is then passed over inside.
foreach(file IN LISTS FILES)
  file(STRINGS ${file} lines REGEX "^#include")
  list(APPEND includes ${lines})
  get_filename_component(name ${file} NAME_WE)
  string(APPEND all "namespace in_${name} {\n#include \"${file}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(WRITE ${OUTPUT} "${includes}\n${all}")
