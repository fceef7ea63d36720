// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_code.h"

#include "keepone/error.h"

namespace keepone {

int ExitCodeOf(const arrow::Status& status) {
  if (status.ok()) {
    return kExitSuccess;
  }
  if (status.IsCancelled()) {
    return kExitInterrupted;
  }
  switch (GetErrorKind(status)) {
    case ErrorKind::kSyntax:
    case ErrorKind::kBind:
    case ErrorKind::kUnsupported:
      return kExitStatement;
    case ErrorKind::kData:
      return kExitData;
    case ErrorKind::kResource:
      return kExitResource;
    case ErrorKind::kInternal:
      break;
  }
  return kExitInternal;
}

}  // namespace keepone
