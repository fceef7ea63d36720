// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/run.h"

namespace {

// Makes allocators give memory back soon: what they keep for later counts as ours all the same, and
// is otherwise as much as what is in use. The pool reads its settings from the environment when
// Arrow is loaded, so the program begins anew, once, with them set; whoever sets them has the last
// word.
void TameAllocators(char** argv) {
  constexpr int kArenas = 2;
  constexpr int kMapBytesMin = 128 << 10;
  mallopt(M_ARENA_MAX, kArenas);
  mallopt(M_MMAP_THRESHOLD, kMapBytesMin);
  constexpr char kPoolVariable[] = "JE_ARROW_MALLOC_CONF";
  constexpr char kPoolSettings[] = "narenas:2,tcache:false,dirty_decay_ms:100,muzzy_decay_ms:0";
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && std::getenv(kPoolVariable) == nullptr &&
      ::setenv(kPoolVariable, kPoolSettings, 0) == 0) {
    // Returns only when it fails; the program then goes on as it is.
    ::execv(program.c_str(), argv);
  }
}

}  // namespace

int main(int argc, char** argv) {
  TameAllocators(argv);
  std::setlocale(LC_CTYPE, "");
  try {
    const keepone::ParsedArguments parsed = keepone::ParseArguments(argc, argv);
    if (parsed.exit_code.has_value()) {
      return *parsed.exit_code;
    }
    return keepone::Run(parsed.arguments);
  } catch (const std::bad_alloc&) {
    std::cerr << "resource error: out of memory\n";
    return keepone::kExitResource;
  } catch (const std::exception& error) {
    std::cerr << "internal error: " << error.what() << "\n";
    return keepone::kExitInternal;
  }
}
