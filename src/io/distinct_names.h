// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <arrow/type_fwd.h>

#include "io/sink.h"

namespace keepone {

// The schema with each name once: a further "id" becomes "id_1", the next "id_2", with the first
// number that makes a name which no column has. Itself when no name stands twice.
std::shared_ptr<arrow::Schema> WithDistinctNames(const std::shared_ptr<arrow::Schema>& schema);

// Hands batches on to `sink` under other names of their columns: those of `schema`.
std::unique_ptr<Sink> MakeRenamingSink(std::unique_ptr<Sink> sink,
                                       std::shared_ptr<arrow::Schema> schema);

}  // namespace keepone
