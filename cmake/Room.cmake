# The precompiled Arrow headers that every room and test shares: parsing them costs two of the
# three seconds of a file.
add_library(keepone_precompiled OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cc)
target_link_libraries(keepone_precompiled PUBLIC keepone_arrow PRIVATE keepone_warnings)
target_precompile_headers(keepone_precompiled PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.h)

# keepone_room(NAME SOURCES ... HEADERS ... USES ... [LINKS ...]): one folder of src/ as one library.
# USES names the only rooms that its files may include; scripts/tidy.py reads it and checks.
# LINKS names other libraries. A room without sources is an interface library.
function(keepone_room NAME)
  cmake_parse_arguments(ROOM "" "" "SOURCES;HEADERS;USES;LINKS" ${ARGN})
  list(TRANSFORM ROOM_USES PREPEND "keepone_")
  if(ROOM_SOURCES)
    add_library(keepone_${NAME} STATIC ${ROOM_SOURCES})
    target_precompile_headers(keepone_${NAME} REUSE_FROM keepone_precompiled)
    set_target_properties(keepone_${NAME} PROPERTIES UNITY_BUILD ${KEEPONE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
    target_link_libraries(keepone_${NAME} PUBLIC ${ROOM_USES} keepone_arrow PRIVATE ${ROOM_LINKS} keepone_warnings)
    target_include_directories(keepone_${NAME} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  else()
    add_library(keepone_${NAME} INTERFACE)
    target_link_libraries(keepone_${NAME} INTERFACE ${ROOM_USES} keepone_arrow)
    target_include_directories(keepone_${NAME} INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  endif()
endfunction()

# keepone_test(ROOM SOURCES ... [LINKS ...]): the unit tests of one room as one program and one ctest entry.
function(keepone_test ROOM)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${ROOM}_test ${TEST_SOURCES})
  target_precompile_headers(${ROOM}_test REUSE_FROM keepone_precompiled)
  target_link_libraries(${ROOM}_test PRIVATE keepone_${ROOM} ${TEST_LINKS} keepone_warnings GTest::gtest GTest::gtest_main)
  target_include_directories(${ROOM}_test PRIVATE ${CMAKE_SOURCE_DIR})
  add_test(NAME unit.${ROOM} COMMAND ${ROOM}_test --gtest_brief=1)
  set_tests_properties(unit.${ROOM} PROPERTIES LABELS unit)
endfunction()
