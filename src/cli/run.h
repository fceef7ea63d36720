// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments.h"

namespace keepone {

// Runs what the command line asks for and gives the exit code. Rows go to standard output or to a
// file, everything else to standard error.
int Run(const Arguments& arguments);

}  // namespace keepone
