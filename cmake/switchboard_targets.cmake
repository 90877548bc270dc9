# One function per kind of target. DEPS is the whole list of what a target may link; tools/lint/check_layers.py holds the
# includes to the same direction.

# switchboard_library(NAME text_bpe SRCS bpe.cc DEPS base absl::status): a static library of this folder.
# Headers need no listing; PRIVATE_DEPS are libraries that only the .cc files include.
function(switchboard_library)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS;PRIVATE_DEPS" ${ARGN})
  if(ARG_SRCS)
    add_library(${ARG_NAME} STATIC ${ARG_SRCS})
    target_include_directories(${ARG_NAME} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${ARG_NAME} PUBLIC ${ARG_DEPS} PRIVATE switchboard_flags ${ARG_PRIVATE_DEPS})
  else()
    add_library(${ARG_NAME} INTERFACE)
    target_include_directories(${ARG_NAME} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${ARG_NAME} INTERFACE ${ARG_DEPS})
  endif()
endfunction()

# switchboard_binary(NAME switchboard-worker SRCS main.cc DEPS ...): an executable in build/PRESET/bin.
function(switchboard_binary)
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SRCS})
  target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${ARG_NAME} PRIVATE switchboard_flags ${ARG_DEPS})
endfunction()

# switchboard_test(NAME bpe_test SRCS bpe_test.cc DEPS text_bpe [LABELS integration] [TIMEOUT 60]): a GoogleTest binary, one ctest
# entry, labelled unit unless LABELS says otherwise. Tests find their data under SWITCHBOARD_TEST_DATA, the tests/ folder
# of the source tree.
function(switchboard_test)
  cmake_parse_arguments(ARG "" "NAME;TIMEOUT" "SRCS;DEPS;LABELS" ${ARGN})
  if(NOT SWITCHBOARD_TESTS)
    return()
  endif()
  foreach(dep IN LISTS ARG_DEPS)
    if(NOT TARGET ${dep})
      return() # The folder it tests is not part of this build.
    endif()
  endforeach()
  add_executable(${ARG_NAME} ${ARG_SRCS})
  target_include_directories(${ARG_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${ARG_NAME} PRIVATE SWITCHBOARD_TEST_DATA="${PROJECT_SOURCE_DIR}/tests"
    SWITCHBOARD_MODELS="${PROJECT_SOURCE_DIR}/models")
  target_link_libraries(${ARG_NAME} PRIVATE switchboard_flags ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(SWITCHBOARD_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 5")
  endif()
  set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()

# switchboard_fuzz(NAME gguf_fuzz SRCS gguf_fuzz.cc CORPUS gguf_corpus DEPS model_files): a libFuzzer target, built by the preset
# `fuzz` only. ctest runs it for 20 seconds over the kept corpus; longer, and keeping what is new:
#   build/fuzz/bin/gguf_fuzz -max_total_time=300 NEW_INPUTS tests/fuzz/model/gguf_corpus
function(switchboard_fuzz)
  cmake_parse_arguments(ARG "" "NAME;CORPUS" "SRCS;DEPS" ${ARGN})
  if(NOT SWITCHBOARD_FUZZ)
    return()
  endif()
  foreach(dep IN LISTS ARG_DEPS)
    if(NOT TARGET ${dep})
      return()
    endif()
  endforeach()
  switchboard_binary(NAME ${ARG_NAME} SRCS ${ARG_SRCS} DEPS ${ARG_DEPS})
  target_link_options(${ARG_NAME} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz_targets ${ARG_NAME})
  cmake_path(ABSOLUTE_PATH ARG_CORPUS NORMALIZE)
  set(found ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}_found)
  file(MAKE_DIRECTORY ${found})
  add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} -max_total_time=20 -timeout=20 -rss_limit_mb=4096
    -artifact_prefix=${found}/ ${found} ${ARG_CORPUS})
  set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT 120 LABELS fuzz)
endfunction()
