// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>

#include "base/error.h"

namespace keepone {

// Errors of a statement whose place only the caller knows; it adds it by WithSpan.
template <typename... Parts>
arrow::Status UnplacedBindError(Parts&&... parts) {
  return MakeError(ErrorKind::kBind, std::nullopt, JoinMessage(std::forward<Parts>(parts)...));
}

template <typename... Parts>
arrow::Status UnplacedUnsupportedError(Parts&&... parts) {
  return MakeError(ErrorKind::kUnsupported, std::nullopt,
                   JoinMessage(std::forward<Parts>(parts)...));
}

}  // namespace keepone
