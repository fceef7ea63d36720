// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "keepone/session.h"

namespace keepone {

// A line on standard error that is drawn anew a few times a second, by a thread of its own, while
// the object lives: rows read, rows a second, bytes read, memory. It is wiped away in the end.
class ProgressBar {
 public:
  virtual ~ProgressBar() = default;
};

// `session` must outlive the bar.
std::unique_ptr<ProgressBar> MakeProgressBar(const Session* session);

}  // namespace keepone
