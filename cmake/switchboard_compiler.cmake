# Language level, warnings, sanitizers and ccache for every target of the project.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(switchboard_flags INTERFACE)
target_compile_options(switchboard_flags INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter -Wnon-virtual-dtor -Woverloaded-virtual
  -fno-omit-frame-pointer
  # A product and a sum are fused only where the code says fma: results must not depend on the compiler.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(switchboard_flags INTERFACE -Wthread-safety -Wshadow -Wimplicit-fallthrough)
  add_link_options(-fuse-ld=lld)
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlapping copies in std::string's assignment of a literal (GCC bug 105651).
  target_compile_options(switchboard_flags INTERFACE -Wno-restrict)
endif()

if(SWITCHBOARD_SANITIZE)
  # Assertions are on here, whatever the build type: DCHECK runs somewhere.
  target_compile_options(switchboard_flags INTERFACE
    -fsanitize=${SWITCHBOARD_SANITIZE} -fno-sanitize-recover=all -UNDEBUG)
  target_compile_definitions(switchboard_flags INTERFACE
    SWITCHBOARD_SANITIZED BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING)
  add_link_options(-fsanitize=${SWITCHBOARD_SANITIZE})
endif()
