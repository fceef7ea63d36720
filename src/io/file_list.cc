// SPDX-License-Identifier: Apache-2.0
#include "io/file_list.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.h"

namespace keepone {

namespace {

namespace fs = std::filesystem;

bool IsDirectory(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::vector<std::string> SplitPath(const std::string& path) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (end > begin) {
      parts.push_back(path.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

std::string Join(const std::string& folder, const std::string& name) {
  if (folder.empty()) {
    return name;
  }
  return folder.back() == '/' ? folder + name : folder + "/" + name;
}

// Names in a folder; none when it cannot be read.
std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
       it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  return names;
}

bool IsHidden(const std::string& name) {
  return name.starts_with('.');
}

// Matches parts[index..] below `folder`, which may be "" (here) or "/".
void Expand(const std::string& folder, const std::vector<std::string>& parts, size_t index,
            std::set<std::string>* found) {
  if (index == parts.size()) {
    if (!folder.empty() && Exists(folder) && !IsDirectory(folder)) {
      found->insert(folder);
    }
    return;
  }
  const std::string& part = parts[index];
  if (part == "**") {
    Expand(folder, parts, index + 1, found);
    for (const std::string& name : NamesIn(folder)) {
      const std::string path = Join(folder, name);
      // Links to folders are not followed: they may lead back.
      if (!IsHidden(name) && IsDirectory(path) && !fs::is_symlink(path)) {
        Expand(path, parts, index, found);
      }
    }
  } else if (!IsPattern(part)) {
    const std::string path = Join(folder, part);
    if (Exists(path)) {
      Expand(path, parts, index + 1, found);
    }
  } else {
    for (const std::string& name : NamesIn(folder)) {
      if (::fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0) {
        Expand(Join(folder, name), parts, index + 1, found);
      }
    }
  }
}

void ListBelow(const std::string& folder, const std::vector<std::string>& extensions,
               std::set<std::string>* found) {
  for (const std::string& name : NamesIn(folder)) {
    const std::string path = Join(folder, name);
    if (IsHidden(name)) {
      continue;
    }
    if (!IsDirectory(path)) {
      if (std::any_of(extensions.begin(), extensions.end(),
                      [&](const std::string& each) { return name.ends_with(each); })) {
        found->insert(path);
      }
    } else if (!fs::is_symlink(path)) {
      ListBelow(path, extensions, found);
    }
  }
}

arrow::Status CheckLocal(const std::string& path) {
  if (path.empty()) {
    return DataError("the name of a file is empty");
  }
  const size_t colon = path.find("://");
  const bool has_scheme =
      colon != std::string::npos && colon > 0 &&
      std::all_of(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(colon),
                  [](unsigned char c) { return std::isalnum(c) != 0; });
  if (has_scheme) {
    return WithHint(MakeError(ErrorKind::kUnsupported, std::nullopt,
                              JoinMessage("files at a distance are not supported: \"", path, "\"")),
                    "copy it to a local folder first");
  }
  return arrow::Status::OK();
}

}  // namespace

bool IsPattern(const std::string& path) {
  return path.find_first_of("*?[") != std::string::npos;
}

arrow::Result<std::vector<std::string>> ListFiles(const std::vector<std::string>& paths,
                                                  const std::vector<std::string>& extensions) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    ARROW_RETURN_NOT_OK(CheckLocal(path));
    std::set<std::string> found;
    if (IsDirectory(path)) {
      ListBelow(path, extensions, &found);
      if (found.empty()) {
        return DataError("no ", extensions.front(), " files in directory \"", path, "\"");
      }
    } else if (IsPattern(path) && !Exists(path)) {
      Expand(path.starts_with('/') ? "/" : "", SplitPath(path), 0, &found);
      if (found.empty()) {
        return DataError("no files match \"", path, "\"");
      }
    } else {
      found.insert(path);
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::string DescribeFiles(const std::vector<std::string>& paths, size_t file_count) {
  std::string text;
  for (const std::string& path : paths) {
    text += (text.empty() ? "" : ", ") + path;
  }
  return file_count == 1 && paths.size() == 1 && !IsPattern(paths[0])
             ? text
             : JoinMessage(file_count, file_count == 1 ? " file: " : " files: ", text);
}

std::string RealPath(const std::string& path) {
  return path == "-" ? "/dev/stdin" : path;
}

}  // namespace keepone
