# Gives the target keepone_arrow: Arrow C++ with compute and Parquet, from one of
#   1. an installed Arrow that find_package() finds (KEEPONE_ARROW=auto or system), or
#   2. the pinned pyarrow wheel in a virtual environment inside the build tree (auto or wheel),
#      which this file makes when it is not there.
# The wheel has no CMake package, only versioned libraries, hence the imported targets by hand.
set(KEEPONE_ARROW "auto" CACHE STRING "Where Arrow comes from: auto, system or wheel")
set(KEEPONE_PYARROW_VERSION "26.0.1" CACHE STRING "The pyarrow wheel that is installed when needed")
set(KEEPONE_VENV "${CMAKE_SOURCE_DIR}/build/venv" CACHE PATH "Virtual environment of the wheel")

add_library(keepone_arrow INTERFACE)

if(NOT KEEPONE_ARROW STREQUAL "wheel")
  find_package(Arrow CONFIG QUIET)
  if(Arrow_FOUND)
    find_package(Parquet CONFIG REQUIRED)
    find_package(ArrowCompute CONFIG REQUIRED)
    target_link_libraries(keepone_arrow INTERFACE Arrow::arrow_shared Parquet::parquet_shared
                                                  ArrowCompute::arrow_compute_shared)
    message(STATUS "Arrow ${Arrow_VERSION} from find_package")
    return()
  elseif(KEEPONE_ARROW STREQUAL "system")
    message(FATAL_ERROR "KEEPONE_ARROW=system, but no Arrow CMake package was found; "
                        "install Arrow C++ or use -DKEEPONE_ARROW=wheel")
  endif()
endif()

set(_venv_python ${KEEPONE_VENV}/bin/python3)
if(NOT EXISTS ${_venv_python})
  find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
  message(STATUS "Making a virtual environment in ${KEEPONE_VENV}")
  execute_process(COMMAND ${Python3_EXECUTABLE} -m venv ${KEEPONE_VENV} COMMAND_ERROR_IS_FATAL ANY)
endif()
set(_wheel_probe "import importlib.metadata as m, importlib.util as u, os; \
print(m.version('pyarrow')); print(os.path.dirname(u.find_spec('pyarrow').origin))")
execute_process(COMMAND ${_venv_python} -c "${_wheel_probe}" OUTPUT_VARIABLE _wheel
                RESULT_VARIABLE _wheel_missing ERROR_QUIET)
if(_wheel_missing OR NOT _wheel MATCHES "^${KEEPONE_PYARROW_VERSION}\n")
  message(STATUS "Installing pyarrow ${KEEPONE_PYARROW_VERSION} into ${KEEPONE_VENV}")
  execute_process(COMMAND ${_venv_python} -m pip install -q --disable-pip-version-check
                          --only-binary :all: pyarrow==${KEEPONE_PYARROW_VERSION}
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${_venv_python} -c "${_wheel_probe}" OUTPUT_VARIABLE _wheel
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
string(REGEX REPLACE "^[^\n]*\n([^\n]*)\n.*" "\\1" KEEPONE_PYARROW_DIR "${_wheel}")
file(STRINGS ${KEEPONE_PYARROW_DIR}/include/arrow/util/config.h _so_version
     REGEX "define ARROW_SO_VERSION ")
string(REGEX MATCH "[0-9]+" _so_version "${_so_version}")
message(STATUS "Arrow ${KEEPONE_PYARROW_VERSION} from the wheel in ${KEEPONE_PYARROW_DIR}")

foreach(_name arrow arrow_compute parquet)
  add_library(keepone_wheel_${_name} SHARED IMPORTED GLOBAL)
  set_target_properties(
    keepone_wheel_${_name}
    PROPERTIES IMPORTED_LOCATION ${KEEPONE_PYARROW_DIR}/lib${_name}.so.${_so_version}
               IMPORTED_SONAME lib${_name}.so.${_so_version}
               INTERFACE_INCLUDE_DIRECTORIES ${KEEPONE_PYARROW_DIR}/include)
  target_link_libraries(keepone_arrow INTERFACE keepone_wheel_${_name})
endforeach()
