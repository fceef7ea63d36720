// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <arrow/result.h>

namespace keepone {

enum class Replace { kNothing, kAnything };

// A directory that is filled under a temporary name, beside the place that it takes when complete.
// Vanishes with its contents when destroyed before.
class NewDirectory {
 public:
  // With kNothing, a directory at `path` that holds something is a data error, here and in
  // Publish(). A file there is one always.
  static arrow::Result<std::unique_ptr<NewDirectory>> Make(const std::string& path,
                                                           Replace replace);
  ~NewDirectory();
  NewDirectory(const NewDirectory&) = delete;
  NewDirectory& operator=(const NewDirectory&) = delete;

  // Where it is filled.
  const std::string& path() const { return temporary_path_; }
  // Where a file in it will be.
  std::string FinalPath(const std::string& name) const { return path_ + "/" + name; }

  // Takes its place in one step; what it replaces is removed afterwards.
  arrow::Status Publish();

 private:
  NewDirectory(std::string path, std::string temporary_path, Replace replace);

  std::string path_;
  std::string temporary_path_;
  Replace replace_;
};

}  // namespace keepone
