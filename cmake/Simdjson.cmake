# Gives the target keepone_simdjson: simdjson as a static library of our own, from sources in
# KEEPONE_SIMDJSON_DIR, which are fetched when they are not there.
# Arrow's libraries export another simdjson under its own names. Ours has its namespace renamed and
# its names hidden, so that neither is ever called in place of the other. Files that include
# simdjson.h want KEEPONE_SIMDJSON_DEFINITION too.
set(KEEPONE_SIMDJSON_DIR "${CMAKE_SOURCE_DIR}/build/simdjson"
    CACHE PATH "Directory with simdjson.cpp and simdjson.h")
set(KEEPONE_SIMDJSON_DEFINITION simdjson=keepone_simdjson)

set(_simdjson_default "${CMAKE_SOURCE_DIR}/build/simdjson")
if(KEEPONE_SIMDJSON_DIR STREQUAL _simdjson_default)
  set(_simdjson_python ${KEEPONE_VENV}/bin/python3)
  if(NOT EXISTS ${_simdjson_python})
    find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
    set(_simdjson_python ${Python3_EXECUTABLE})
  endif()
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/fetch_simdjson.sh ${_simdjson_python}
                          ${KEEPONE_SIMDJSON_DIR}
                  RESULT_VARIABLE _simdjson_failed)
endif()
if(_simdjson_failed OR NOT EXISTS ${KEEPONE_SIMDJSON_DIR}/simdjson.cpp
   OR NOT EXISTS ${KEEPONE_SIMDJSON_DIR}/simdjson.h)
  message(FATAL_ERROR "No simdjson.cpp and simdjson.h in ${KEEPONE_SIMDJSON_DIR}; give their "
                      "directory by -DKEEPONE_SIMDJSON_DIR=..")
endif()

add_library(keepone_simdjson STATIC ${KEEPONE_SIMDJSON_DIR}/simdjson.cpp)
target_include_directories(keepone_simdjson SYSTEM PUBLIC ${KEEPONE_SIMDJSON_DIR})
target_compile_definitions(keepone_simdjson PRIVATE ${KEEPONE_SIMDJSON_DEFINITION})
# Without optimization it is a hundred times slower, and nobody steps through it.
target_compile_options(keepone_simdjson PRIVATE -O2 -w)
set_target_properties(keepone_simdjson PROPERTIES CXX_VISIBILITY_PRESET hidden
                                                  VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD OFF)
