# Warnings are errors in our own code. One interface target carries the flags, so that
# third-party headers (imported as SYSTEM) stay quiet.
add_library(postrider_flags INTERFACE)
target_compile_options(postrider_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                 -Wno-sign-conversion -Wno-missing-field-initializers -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(postrider_flags INTERFACE -Wthread-safety)
endif()
if(POSTRIDER_SANITIZE)
  add_compile_options(-fsanitize=${POSTRIDER_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${POSTRIDER_SANITIZE})
  if(POSTRIDER_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      add_compile_options(-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitizer-ignorelist.txt)
    endif()
  endif()
endif()

# postrider_library(NAME SOURCES... ): a static library of this tree. Its include folder is the root of the
# tree it lives in; what it may include of others is decided by the libraries that it links.
function(postrider_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PRIVATE postrider_flags)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
endfunction()
