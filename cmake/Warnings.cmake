# Warnings of our own code, linked PRIVATE. Errors only for developers: a newer compiler's new
# warning must not break a user's build.
add_library(keepone_warnings INTERFACE)
target_compile_options(
  keepone_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
            -Woverloaded-virtual -Wold-style-cast -Wcast-qual -Wundef
            $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wduplicated-branches -Wlogical-op>
            $<$<BOOL:${KEEPONE_DEVELOPER}>:-Werror>)
if(KEEPONE_SANITIZE)
  # g++ reports false positives in std::string and std::function under the sanitizers.
  target_compile_options(keepone_warnings INTERFACE -Wno-maybe-uninitialized -Wno-stringop-overflow)
endif()
