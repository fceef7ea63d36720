// SPDX-License-Identifier: Apache-2.0
#include "exec/hash_join.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <unordered_set>
#include <utility>

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include "base/check.h"
#include "base/error.h"
#include "exec/join_build.h"
#include "exec/join_probe.h"
#include "exec/join_right_input.h"
#include "exec/metrics.h"
#include "exec/spilled_join.h"

namespace keepone {

namespace {

// How many left morsels are at work. Right rows without a match are known when there are none.
class LeftMorsels {
 public:
  void Begin() {
    const std::lock_guard lock(mutex_);
    ++open_;
  }
  void End(bool was_read) {
    const std::lock_guard lock(mutex_);
    --open_;
    all_read_ = all_read_ && was_read;
    ended_.notify_all();
  }
  // Waits for those that have begun: each of them is in the hands of another worker. Gives whether
  // all were read to their end; nothing behind one that was given up is ever read.
  arrow::Result<bool> Wait(const QueryContext& context) {
    const OperatorTimer waiting(nullptr);
    std::unique_lock lock(mutex_);
    while (open_ > 0) {
      ARROW_RETURN_NOT_OK(context.CheckStop());
      ended_.wait_for(lock, std::chrono::milliseconds(20));
    }
    return all_read_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  int64_t open_ = 0;
  bool all_read_ = true;
};

// What the morsels of one join share.
struct JoinState {
  QueryContext* context;
  JoinShape shape;
  std::unique_ptr<JoinBuild> build;
  LeftMorsels left_morsels;
};

class LeftMorsel final : public Morsel {
 public:
  LeftMorsel(std::shared_ptr<JoinState> state, std::unique_ptr<Morsel> input, int64_t position)
      : state_(std::move(state)), input_(std::move(input)), position_(position) {
    state_->left_morsels.Begin();
  }
  ~LeftMorsel() override {
    input_.reset();
    state_->left_morsels.End(was_read_);
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    if (probe_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(probe_,
                            JoinProbe::Make(state_->context, &state_->shape, state_->build.get()));
      probe_->set_position(position_);
    }
    while (true) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> batch, probe_->Next());
      if (batch != nullptr) {
        return batch;
      }
      ARROW_RETURN_NOT_OK(state_->context->CheckStop());
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::RecordBatch> left, input_->Next());
      if (left == nullptr) {
        was_read_ = true;
        return nullptr;
      }
      ARROW_RETURN_NOT_OK(probe_->Start(std::move(left)));
    }
  }

 private:
  std::shared_ptr<JoinState> state_;
  std::unique_ptr<Morsel> input_;
  int64_t position_;
  std::unique_ptr<JoinProbe> probe_;
  bool was_read_ = false;
};

// The right rows without a match of one batch.
class RightMorsel final : public Morsel {
 public:
  RightMorsel(std::shared_ptr<JoinState> state, size_t batch)
      : state_(std::move(state)),
        rows_(state_->context, &state_->shape, state_->build.get(), batch) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() override {
    ARROW_ASSIGN_OR_RAISE(const bool known, state_->left_morsels.Wait(*state_->context));
    return known ? rows_.Next() : nullptr;
  }

 private:
  std::shared_ptr<JoinState> state_;
  UnmatchedRight rows_;
};

JoinShape MakeShape(JoinSpec spec, const BatchStream& left, const BatchStream& right,
                    std::shared_ptr<arrow::Schema> schema) {
  JoinShape shape;
  shape.kind = spec.kind;
  shape.left_keys = std::move(spec.left_keys);
  shape.right_keys = std::move(spec.right_keys);
  shape.null_equals_null = std::move(spec.null_equals_null);
  shape.residual = std::move(spec.residual);
  shape.left_schema = left.schema();
  shape.right_schema = right.schema();
  shape.schema = std::move(schema);
  shape.left_columns = shape.left_schema->num_fields();
  shape.right_columns = shape.right_schema->num_fields();
  for (const int key : shape.right_keys) {
    shape.key_fields.push_back({shape.right_schema->field(key)->type()});
  }
  if (shape.residual != nullptr) {
    std::unordered_set<int> columns;
    shape.residual->CollectColumns(&columns);
    for (int i = 0; i < shape.left_columns + shape.right_columns; ++i) {
      if (columns.contains(i)) {
        (i < shape.left_columns ? shape.residual_left : shape.residual_right)
            .push_back(i < shape.left_columns ? i : i - shape.left_columns);
      }
    }
  }
  return shape;
}

class HashJoinStream final : public BatchStream {
 public:
  HashJoinStream(QueryContext* context, std::unique_ptr<BatchStream> left,
                 std::unique_ptr<BatchStream> right, JoinSpec spec,
                 std::shared_ptr<arrow::Schema> schema)
      : left_(std::move(left)), right_(std::move(right)), state_(std::make_shared<JoinState>()) {
    state_->context = context;
    state_->shape = MakeShape(std::move(spec), *left_, *right_, std::move(schema));
  }

  const std::shared_ptr<arrow::Schema>& schema() const override { return state_->shape.schema; }

  arrow::Status Prepare() override {
    ARROW_RETURN_NOT_OK(Check());
    QueryContext* context = state_->context;
    const JoinShape& shape = state_->shape;
    ARROW_ASSIGN_OR_RAISE(JoinRightInput right, ReadJoinRight(context, shape, *right_));
    right_.reset();
    if (!right.is_spilled) {
      ARROW_RETURN_NOT_OK(Build(&right));
    }
    if (right.is_spilled) {
      ARROW_ASSIGN_OR_RAISE(spilled_,
                            JoinSpilled(context, shape, *left_, std::move(right.partitions)));
      left_.reset();
      return spilled_->Prepare();
    }
    NoteBytesHeld(state_->build->bytes_used());
    ARROW_RETURN_NOT_OK(left_->Prepare());
    const bool keeps_unmatched_left = ExtendsRight(shape.kind) || shape.kind == JoinKind::kAnti;
    left_ended_ = state_->build->row_count() == 0 && !keeps_unmatched_left;
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<Morsel>> NextMorsel() override {
    if (spilled_ != nullptr) {
      return spilled_->NextMorsel();
    }
    const std::lock_guard lock(mutex_);
    if (!left_ended_) {
      ARROW_ASSIGN_OR_RAISE(std::unique_ptr<Morsel> left, left_->NextMorsel());
      if (left != nullptr) {
        return std::make_unique<LeftMorsel>(state_, std::move(left), sequence_++ << 40);
      }
      left_ended_ = true;
    }
    if (ExtendsLeft(state_->shape.kind) && next_right_ < state_->build->batch_count()) {
      return std::make_unique<RightMorsel>(state_, next_right_++);
    }
    return nullptr;
  }

 private:
  arrow::Status Check() const {
    const JoinShape& shape = state_->shape;
    KEEPONE_CHECK(shape.left_keys.size() == shape.right_keys.size());
    KEEPONE_CHECK(shape.null_equals_null.size() == shape.right_keys.size());
    for (size_t i = 0; i < shape.left_keys.size(); ++i) {
      const auto& left_type = shape.left_schema->field(shape.left_keys[i])->type();
      KEEPONE_CHECK(left_type->Equals(*shape.key_fields[i].type), "key of type ",
                    left_type->ToString(), " joins one of ", shape.key_fields[i].type->ToString());
    }
    const int right_columns = GivesRightColumns(shape.kind) ? shape.right_columns : 0;
    KEEPONE_CHECK(shape.schema->num_fields() == shape.left_columns + right_columns);
    return arrow::Status::OK();
  }

  // Builds the table, or where memory does not suffice puts the rows aside after all: what a table
  // takes is known only when it stands.
  arrow::Status Build(JoinRightInput* right) {
    QueryContext* context = state_->context;
    const bool limited = context->budget()->bytes_max() >= 0;
    arrow::RecordBatchVector rows = limited ? right->batches : std::move(right->batches);
    arrow::Result<std::unique_ptr<JoinBuild>> build =
        JoinBuild::Make(context, &state_->shape, std::move(rows), context->threads());
    if (limited && GetErrorKind(build.status()) == ErrorKind::kResource) {
      return SpillJoinRight(context, state_->shape, right);
    }
    ARROW_ASSIGN_OR_RAISE(state_->build, std::move(build));
    right->batches.clear();
    return arrow::Status::OK();
  }

  std::unique_ptr<BatchStream> left_;
  std::unique_ptr<BatchStream> right_;
  std::unique_ptr<BatchStream> spilled_;  // the whole output, where the right input was put aside
  std::shared_ptr<JoinState> state_;
  std::mutex mutex_;  // guards what follows and the order of the left morsels
  bool left_ended_ = false;
  int64_t sequence_ = 0;
  size_t next_right_ = 0;
};

}  // namespace

std::unique_ptr<BatchStream> MakeHashJoin(QueryContext* context, std::unique_ptr<BatchStream> left,
                                          std::unique_ptr<BatchStream> right, JoinSpec spec,
                                          std::shared_ptr<arrow::Schema> schema) {
  return std::make_unique<HashJoinStream>(context, std::move(left), std::move(right),
                                          std::move(spec), std::move(schema));
}

}  // namespace keepone
