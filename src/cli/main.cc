// SPDX-License-Identifier: Apache-2.0
#include <clocale>
#include <exception>
#include <iostream>

#include "cli/arguments.h"
#include "cli/exit_code.h"
#include "cli/run.h"

int main(int argc, char** argv) {
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
